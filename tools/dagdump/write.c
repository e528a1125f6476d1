/* write.c - a file that is there whole or not at all. */
#include "dagdump/dagdump.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes a new file beside `path`, then gives it that name. */
static bool write_new_file(const char *path, bool (*write)(int file, const char *name, void *user), void *user)
{
    size_t bytes = strlen(path) + 32;
    char *temporary = malloc(bytes);
    bool done = false;
    if (!temporary) {
        dagdump_fail(DAGDUMP_BAD_INPUT, "%s: out of memory", path);
        return false;
    }
    snprintf(temporary, bytes, "%s.%ld.part", path, (long)getpid());
    int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0) {
        dagdump_fail(DAGDUMP_BAD_INPUT, "%s: cannot be created: %s", path, strerror(errno));
    } else {
        done = write(file, path, user);
        if (close(file) != 0 && done) {
            dagdump_fail(DAGDUMP_BAD_INPUT, "%s: cannot be written: %s", path, strerror(errno));
            done = false;
        }
        if (done && rename(temporary, path) != 0) {
            dagdump_fail(DAGDUMP_BAD_INPUT, "%s: cannot be replaced: %s", path, strerror(errno));
            done = false;
        }
        if (!done)
            unlink(temporary);
    }
    free(temporary);
    return done;
}

static bool write_stream(const char *path, bool (*write)(int file, const char *name, void *user), void *user)
{
    int file = open(path, O_WRONLY);
    if (file < 0) {
        dagdump_fail(DAGDUMP_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
        return false;
    }
    bool done = write(file, path, user);
    close(file);
    return done;
}

bool dagdump_write(const char *path, bool (*write)(int file, const char *name, void *user), void *user)
{
    struct stat info;
    if (strcmp(path, "-") == 0)
        return write(STDOUT_FILENO, "standard output", user);
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return write_stream(path, write, user);
    return write_new_file(path, write, user);
}
