/* text.h - names as the writers of files need them: as UTF-8 whatever the program gave, one line each; and times for people. */
#ifndef WEIR_OBSERVE_TEXT_H
#define WEIR_OBSERVE_TEXT_H

#include <stdint.h>
#include <stdio.h>

/* The next character, moving past it; U+FFFD for bytes that are no UTF-8; 0 at the end. */
uint32_t weir_text_next(const char **text);
void weir_text_put(FILE *to, uint32_t character);

/* What to show for a character that must not break a line, steer a terminal or spoil an XML file: itself, or a picture of it. */
uint32_t weir_text_visible(uint32_t character);

/* Writes a name that way; returns how many characters. */
unsigned weir_text_put_visible(FILE *to, const char *text);
unsigned weir_text_length(const char *text);

/* Writes a text as JSON's, quotes included. */
void weir_text_put_json(FILE *to, const char *text);

/* "0", "812 ns", "12.3 us", "1.25 ms", "40 s": three digits, as plain ASCII. */
typedef struct {
    char text[32];
} weir_time_text;
weir_time_text weir_text_time(double ns);

#endif
