/* text.c - UTF-8 in and out (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF). */
#include "observe/text.h"
#include <inttypes.h>

enum { UNKNOWN = 0xFFFD, PICTURES = 0x2400, PICTURE_OF_DELETE = 0x2421 };

uint32_t weir_text_next(const char **text)
{
    static const uint32_t lowest[] = {0, 0x80, 0x800, 0x10000}; /* by the number of bytes that follow the first */
    const unsigned char *byte = (const unsigned char *)*text;
    if (*byte == 0)
        return 0;
    *text += 1;
    if (*byte < 0x80)
        return *byte;
    unsigned more = *byte >= 0xF0 && *byte < 0xF8 ? 3 : *byte >= 0xE0 && *byte < 0xF0 ? 2 : *byte >= 0xC0 && *byte < 0xE0 ? 1 : 0;
    uint32_t character = *byte & (0x3Fu >> more);
    for (unsigned i = 1; i <= more; i++) {
        if ((byte[i] & 0xC0) != 0x80)
            return UNKNOWN; /* the bytes after the first are looked at again, so what is well-formed after it is kept */
        character = character << 6 | (byte[i] & 0x3F);
    }
    if (more == 0 || character < lowest[more] || character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
        return UNKNOWN;
    *text += more;
    return character;
}

void weir_text_put(FILE *to, uint32_t character)
{
    if (character < 0x80) {
        putc((int)character, to);
        return;
    }
    int more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    static const unsigned first[] = {0, 0xC0, 0xE0, 0xF0};
    putc((int)(first[more] | character >> (6 * more)), to);
    while (more-- > 0)
        putc((int)(0x80 | (character >> (6 * more) & 0x3F)), to);
}

uint32_t weir_text_visible(uint32_t character)
{
    if (character < 0x20)
        return PICTURES + character;
    if (character == 0x7F)
        return PICTURE_OF_DELETE;
    if ((character >= 0x80 && character < 0xA0) || (character & 0xFFFE) == 0xFFFE) /* more controls; never characters */
        return UNKNOWN;
    return character;
}

unsigned weir_text_put_visible(FILE *to, const char *text)
{
    unsigned length = 0;
    for (uint32_t c; (c = weir_text_next(&text)) != 0; length++)
        weir_text_put(to, weir_text_visible(c));
    return length;
}

unsigned weir_text_length(const char *text)
{
    unsigned length = 0;
    while (weir_text_next(&text) != 0)
        length++;
    return length;
}

void weir_text_put_json(FILE *to, const char *text)
{
    static const char shorts[] = {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\'};
    putc('"', to);
    for (uint32_t c; (c = weir_text_next(&text)) != 0;) {
        if (c < sizeof shorts && shorts[c])
            fprintf(to, "\\%c", shorts[c]);
        else if (c < 0x20)
            fprintf(to, "\\u%04" PRIx32, c);
        else
            weir_text_put(to, c);
    }
    putc('"', to);
}

weir_time_text weir_text_time(double ns)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    weir_time_text time = {"0"};
    if (!(ns > 0))
        return time;
    unsigned i = 0;
    while (i < 3 && ns < units[i].ns * 0.9995) /* what would be written as 1000 of the smaller unit is 1 of the larger */
        i++;
    double value = ns / units[i].ns;
    snprintf(time.text, sizeof time.text, "%.*f %s", value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value, units[i].name);
    char *dot = NULL, *end = time.text;
    for (; *end && *end != ' '; end++)
        if (*end == '.')
            dot = end;
    if (dot) { /* 12.0 us reads as 12 us */
        char *last = end;
        while (last[-1] == '0')
            last--;
        if (last[-1] == '.')
            last--;
        snprintf(last, sizeof time.text - (size_t)(last - time.text), " %s", units[i].name);
    }
    return time;
}
