/* fluid_scene.h - the world that the smoke begins in, read from files. */
#ifndef WEIR_EXAMPLES_FLUID_SCENE_H
#define WEIR_EXAMPLES_FLUID_SCENE_H

#include <stdbool.h>
#include "fluid_kernels.h"
#include "picture.h"

enum { FLUID_SIDE_MIN = 16, FLUID_SIDE_MAX = 4096, FLUID_SIDE_DEFAULT = 640 };

typedef struct {
    fluid_size size;
    picture image;   /* of that size */
    float *picture;  /* the same as dye: three planes: red, green, blue as light, 0 to 1 */
    uint8_t *walls;  /* 1 where a wall stands */
} fluid_scene;

/* Reads a picture (transparent parts are black) and scales it to `size`, or where that is 0 x 0 to a size of the picture's own
 * shape whose longer side is FLUID_SIDE_DEFAULT. Where `mask_path` is not NULL, its bright and opaque parts are walls.
 * Prints what is wrong: "program: file: what, and what to do". On success *out is the caller's, to free with fluid_scene_free. */
bool fluid_scene_read(const char *program, const char *picture_path, const char *mask_path, fluid_size size, fluid_scene *out);
void fluid_scene_free(fluid_scene *scene); /* zeros are fine */

#endif
