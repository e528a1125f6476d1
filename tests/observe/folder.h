/* folder.h - a folder of its own for a test's files. */
#ifndef WEIR_TESTS_OBSERVE_FOLDER_H
#define WEIR_TESTS_OBSERVE_FOLDER_H

#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct {
    char path[64];
} test_folder;

static inline test_folder folder_make(void)
{
    test_folder f = {"/tmp/weir-test-XXXXXX"};
    ck_assert_ptr_nonnull(mkdtemp(f.path));
    return f;
}

typedef struct {
    char text[160];
} test_path;

static inline test_path folder_file(const test_folder *f, const char *name)
{
    test_path p;
    int bytes = snprintf(p.text, sizeof p.text, "%s/%s", f->path, name);
    ck_assert_int_lt(bytes, (int)sizeof p.text);
    return p;
}

static inline unsigned folder_count(const test_folder *f)
{
    unsigned count = 0;
    DIR *entries = opendir(f->path);
    ck_assert_ptr_nonnull(entries);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

/* A file's text, to be freed; NULL if it is not there. */
static inline char *folder_text(const test_folder *f, const char *name)
{
    FILE *file = fopen(folder_file(f, name).text, "rb");
    char *text = NULL;
    size_t bytes = 0;
    if (!file)
        return NULL;
    FILE *copy = open_memstream(&text, &bytes);
    for (int c; (c = getc(file)) != EOF;)
        putc(c, copy);
    fclose(copy);
    fclose(file);
    return text;
}

/* Removes the files, then the folder. */
static inline void folder_remove(const test_folder *f)
{
    DIR *entries = opendir(f->path);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (entry->d_name[0] != '.')
            unlink(folder_file(f, entry->d_name).text);
    closedir(entries);
    ck_assert_int_eq(rmdir(f->path), 0);
}

/* A disk that is soon full: no file of this process grows beyond so many bytes, and writing more fails. */
typedef struct {
    struct rlimit bytes;
    void (*handler)(int signal);
} file_limit;

static inline file_limit limit_files(rlim_t bytes)
{
    file_limit before;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before.bytes), 0);
    before.handler = signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, before.bytes.rlim_max}), 0);
    return before;
}

static inline void unlimit_files(file_limit before)
{
    setrlimit(RLIMIT_FSIZE, &before.bytes);
    signal(SIGXFSZ, before.handler);
}

#endif
