/* picture.h - pictures of 8-bit red, green, blue, alpha, read from any PNG and written as one. Knows nothing of weir.
 * Threads: no state of its own. */
#ifndef WEIR_EXAMPLES_PICTURE_H
#define WEIR_EXAMPLES_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PICTURE_SIDE_MAX = 16384, PICTURE_PIXELS_MAX = 1 << 26 };

typedef struct {
    uint32_t width, height;
    uint8_t *rgba; /* rows from the top, packed; alpha is not multiplied in */
} picture;

/* What went wrong and what to do, without the file's name. */
typedef struct {
    char text[256];
} picture_trouble;

/* Any colour type, depth and interlacing. On success *out is the caller's, to free with picture_free. */
bool picture_read(const char *path, picture *out, picture_trouble *trouble);
void picture_free(picture *image); /* an empty image is fine */

/* An empty picture, all zero; the picture in another size: averaged where it shrinks, interpolated where it grows, with
 * transparent pixels counting as little as they show. */
bool picture_create(uint32_t width, uint32_t height, picture *out);
bool picture_scale(const picture *image, uint32_t width, uint32_t height, picture *out);

/* Writes a picture without its alpha, compressed fast rather than well. The file appears under its name when it is whole. */
bool picture_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height, picture_trouble *trouble);

#endif
