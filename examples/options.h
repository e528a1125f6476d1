/* options.h - the command line of the examples: a table of options, and the messages that a bad one earns.
 * "--name value" and "--name=value"; every program has --help and --version besides its own.
 *
 * Where an option stands for one of weir's variables of the environment (WEIR_LANES ...), its value is put there: the command line
 * beats the environment, and the environment beats what the program asks for. */
#ifndef WEIR_EXAMPLES_OPTIONS_H
#define WEIR_EXAMPLES_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

enum { EXIT_GOOD = 0, EXIT_BAD_INPUT = 1, EXIT_BAD_USAGE = 2 };

typedef enum { OPTION_TEXT, OPTION_NUMBER, OPTION_THREE, OPTION_SHARE, OPTION_SIZE, OPTION_CHOICE } option_kind;

typedef struct {
    uint32_t width, height;
} option_size;

typedef struct {
    const char *name;             /* "--frames" */
    const char *operand;          /* as help shows it: "N" */
    const char *help;
    option_kind kind;
    void *value;                  /* const char *, uint64_t, int32_t[3], double (a share: above 0, at most 1), option_size, const char *; NULL: only checked */
    uint64_t lowest, highest;     /* of a number, or of each side of a size; of three numbers, each is from -highest to highest */
    const char *const *choices;   /* NULL ends them */
    const char *environment;      /* NULL, or the variable that the option sets */
} option;

typedef struct {
    const char *program, *summary; /* the summary is help's first line */
    const option *options;
    size_t count;
} options;

/* Reads a command line into the options' values. Returns -1 to go on, or else the program's exit status: help and version were
 * printed, or a complaint. */
int options_read(const options *all, int argc, char *const *argv);

#endif
