/* dot_text.h - DOT as tokens, without its meaning: libcgraph knows that, but not on which line it read what, and not when to stop. */
#ifndef TOOLS_DOT_TEXT_H
#define TOOLS_DOT_TEXT_H

#include "read_format.h"

typedef enum { DOT_END, DOT_WORD, DOT_MARK, DOT_OPEN /* begins and never ends */ } dot_kind;

typedef struct {
    dot_kind kind;
    const char *text; /* words with their quotes; marks are "->", "--" or one byte */
    size_t length;
    unsigned line;
} dot_token;

typedef struct {
    const char *at, *start, *end;
    unsigned line;
    size_t longest_blank; /* in one line: blanks and comments */
} dot_scan;

dot_token dot_next(dot_scan *scan);
dot_scan dot_scan_of(const read_input *in);

/* Whether libcgraph can be given the text: it takes time by the square of the length of a token, memory a hundred times that of the
 * text, and does not read past the first graph. Fails with the line if not. */
bool dot_check(const read_input *in);

/* The line of the first token `second` (NULL: of any) that follows `first` and `mark`; without `mark`, of the first token `first`. If
 * there is none, of the first `first`; else 1. */
unsigned dot_line(const read_input *in, const char *first, const char *mark, const char *second);

#endif
