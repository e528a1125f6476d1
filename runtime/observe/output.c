/* output.c - temporary name, write, rename. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "observe/output.h"
#include "util/memory.h"
#include "util/status.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 };

static weir_status failed(const char *done, const char *path)
{
    return weir_fail(WEIR_ERR_IO, "%s: cannot be %s: %s", path, done, errno ? strerror(errno) : "an earlier write failed");
}

/* Renaming onto a link would replace the link, so what it points to is written instead. */
static char *real_name(const char *path)
{
    struct stat info;
    char resolved[PATH_MAX];
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && realpath(path, resolved))
        return weir_alloc_text(resolved);
    return weir_alloc_text(path);
}

/* Opens a file that did not exist before, with the permissions any new file gets, which mkstemp would not give it. */
static weir_status open_temporary(weir_output *output)
{
    static atomic_uint number;
    size_t bytes = strlen(output->path) + 64;
    output->temporary = weir_alloc(bytes, 1);
    if (!output->temporary)
        return weir_fail_no_memory();
    int file = -1;
    for (int i = 0; i < TRIES && file < 0; i++) {
        snprintf(output->temporary, bytes, "%s.%ld-%u.part", output->path, (long)getpid(), atomic_fetch_add(&number, 1));
        file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            break;
    }
    if (file < 0)
        return failed("created", output->path);
    output->stream = fdopen(file, "w");
    if (output->stream)
        return WEIR_OK;
    weir_status status = failed("opened", output->path);
    close(file);
    unlink(output->temporary);
    return status;
}

weir_status weir_output_init(weir_output *output, const char *path)
{
    *output = (weir_output){0};
    if (strcmp(path, "-") == 0) {
        output->stream = stdout;
        return WEIR_OK;
    }
    output->path = real_name(path);
    if (!output->path)
        return weir_fail_no_memory();
    struct stat info;
    weir_status status = WEIR_OK;
    if (stat(output->path, &info) == 0 && !S_ISREG(info.st_mode)) {
        output->stream = fopen(output->path, "w");
        if (!output->stream)
            status = failed("opened", output->path);
    } else {
        status = open_temporary(output);
    }
    if (status != WEIR_OK) {
        weir_free(output->temporary);
        weir_free(output->path);
        *output = (weir_output){0};
    }
    return status;
}

weir_status weir_output_finish(weir_output *output, weir_status status)
{
    const char *path = output->path ? output->path : "standard output";
    if (!output->stream)
        return status;
    errno = 0;
    bool written = fflush(output->stream) == 0 && !ferror(output->stream);
    if (!written && status == WEIR_OK)
        status = failed("written", path);
    if (output->path && fclose(output->stream) != 0 && status == WEIR_OK)
        status = failed("written", path);
    if (output->temporary && status == WEIR_OK && rename(output->temporary, output->path) != 0)
        status = failed("replaced", path);
    if (output->temporary && status != WEIR_OK)
        unlink(output->temporary);
    weir_free(output->temporary);
    weir_free(output->path);
    *output = (weir_output){0};
    return status;
}
