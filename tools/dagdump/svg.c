/* svg.c - SVG through graphviz. Its program `dot` is run, rather than its library linked, so that dagdump builds and does all else
 * without graphviz; and a crash of a layout is an error message here. */
#include "dagdump/dagdump.h"
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
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

static bool draw(int file, const char *name, void *dot)
{
    return run_dot(fileno(dot), file, name);
}

bool dagdump_svg(const weir_drawing *drawing, const char *path)
{
    FILE *dot = make_dot(drawing, path);
    bool drawn = dot && dagdump_write(path, draw, dot);
    if (dot)
        fclose(dot);
    return drawn;
}
