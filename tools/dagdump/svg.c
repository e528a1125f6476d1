/* svg.c - SVG through graphviz. Its program `dot` is run, rather than its library linked, so that dagdump builds and does all else
 * without graphviz; and a crash of a layout is an error message here. */
#include "dagdump/dagdump.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Runs dot from one open file to another. */
static bool run_dot(int from, int to, const char *path)
{
    char *arguments[] = {"dot", "-Tsvg", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = 0;
    int error = posix_spawn_file_actions_init(&actions);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
        if (error == 0)
            error = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
        if (error == 0)
            error = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    if (error != 0) {
        dagdump_fail(DAGDUMP_BAD_INPUT,
                     "%s: graphviz's program dot cannot be run (%s); install it (Debian: apt-get install graphviz), or use --format dot",
                     path, strerror(error));
        return false;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            break;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    dagdump_fail(DAGDUMP_BAD_INPUT, "%s: graphviz's program dot gave up; use --format dot to see what it was given", path);
    return false;
}

/* The picture as DOT in a nameless file, to be read from its beginning. */
static FILE *make_dot(const weir_drawing *drawing, const char *path)
{
    FILE *dot = tmpfile();
    if (!dot) {
        dagdump_fail(DAGDUMP_BAD_INPUT, "%s: no temporary file: %s; set TMPDIR to a folder one can write to", path, strerror(errno));
        return NULL;
    }
    if (weir_drawing_write(drawing, dot, "dot") != WEIR_OK)
        dagdump_fail(DAGDUMP_BAD_INPUT, "%s", weir_last_error());
    else if (fflush(dot) != 0 || lseek(fileno(dot), 0, SEEK_SET) != 0)
        dagdump_fail(DAGDUMP_BAD_INPUT, "%s: cannot write a temporary file: %s", path, strerror(errno));
    else
        return dot;
    fclose(dot);
    return NULL;
}

/* Writes a new file beside `path`, then gives it that name. */
static bool draw_to_new_file(FILE *dot, const char *path)
{
    size_t bytes = strlen(path) + 32;
    char *temporary = malloc(bytes);
    bool drawn = false;
    if (!temporary) {
        dagdump_fail(DAGDUMP_BAD_INPUT, "%s: out of memory", path);
        return false;
    }
    snprintf(temporary, bytes, "%s.%ld.part", path, (long)getpid());
    int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0) {
        dagdump_fail(DAGDUMP_BAD_INPUT, "%s: cannot be created: %s", path, strerror(errno));
    } else {
        drawn = run_dot(fileno(dot), file, path);
        if (close(file) != 0 && drawn) {
            dagdump_fail(DAGDUMP_BAD_INPUT, "%s: cannot be written: %s", path, strerror(errno));
            drawn = false;
        }
        if (drawn && rename(temporary, path) != 0) {
            dagdump_fail(DAGDUMP_BAD_INPUT, "%s: cannot be replaced: %s", path, strerror(errno));
            drawn = false;
        }
        if (!drawn)
            unlink(temporary);
    }
    free(temporary);
    return drawn;
}

/* What is no ordinary file (a pipe, /dev/null) is written to, never replaced. */
static bool draw_to_stream(FILE *dot, const char *path)
{
    int file = open(path, O_WRONLY);
    if (file < 0) {
        dagdump_fail(DAGDUMP_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
        return false;
    }
    bool drawn = run_dot(fileno(dot), file, path);
    close(file);
    return drawn;
}

bool dagdump_svg(const weir_drawing *drawing, const char *path)
{
    struct stat info;
    FILE *dot = make_dot(drawing, path);
    if (!dot)
        return false;
    bool drawn = false;
    if (strcmp(path, "-") == 0)
        drawn = run_dot(fileno(dot), STDOUT_FILENO, "standard output");
    else if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        drawn = draw_to_stream(dot, path);
    else
        drawn = draw_to_new_file(dot, path);
    fclose(dot);
    return drawn;
}
