/* fluid_scene.c - see fluid_scene.h. */
#include "fluid_scene.h"
#include <stdio.h>
#include <stdlib.h>
#include "shade_cell.h"

static bool complain(const char *program, const char *path, const char *text)
{
    fprintf(stderr, "%s: %s: %s\n", program, path, text);
    return false;
}

static int32_t shorter_side(uint32_t shorter, uint32_t longer)
{
    uint64_t side = ((uint64_t)shorter * FLUID_SIDE_DEFAULT + longer / 2) / longer;
    return side < FLUID_SIDE_MIN ? FLUID_SIDE_MIN : (int32_t)side;
}

static fluid_size size_like(const picture *image)
{
    if (image->width >= image->height)
        return (fluid_size){FLUID_SIDE_DEFAULT, shorter_side(image->height, image->width)};
    return (fluid_size){shorter_side(image->width, image->height), FLUID_SIDE_DEFAULT};
}

static void light_of(const picture *image, float *planes)
{
    size_t cells = (size_t)image->width * image->height;
    for (size_t i = 0; i < cells; i++)
        for (size_t c = 0; c < 3; c++)
            planes[c * cells + i] = shade_dye_of(image->rgba + 4 * i, (int32_t)c);
}

/* Returns how many cells stay free. */
static size_t walls_of(const picture *image, uint8_t *walls)
{
    size_t cells = (size_t)image->width * image->height, free_cells = 0;
    for (size_t i = 0; i < cells; i++) {
        const uint8_t *pixel = image->rgba + 4 * i;
        int brightness = (pixel[0] + pixel[1] + pixel[2]) * pixel[3];
        walls[i] = brightness >= 3 * 255 * 128;
        free_cells += !walls[i];
    }
    return free_cells;
}

static bool read_scaled(const char *program, const char *path, fluid_size *size, picture *out)
{
    picture image;
    picture_trouble trouble;
    if (!picture_read(path, &image, &trouble))
        return complain(program, path, trouble.text);
    if (size->nx == 0)
        *size = size_like(&image);
    bool done = picture_scale(&image, (uint32_t)size->nx, (uint32_t)size->ny, out);
    picture_free(&image);
    return done || complain(program, path, "no memory to scale it; give a smaller --size");
}

bool fluid_scene_read(const char *program, const char *picture_path, const char *mask_path, fluid_size size, fluid_scene *out)
{
    picture image = {0}, mask = {0};
    fluid_scene scene = {.size = size};
    bool done = read_scaled(program, picture_path, &scene.size, &image);
    if (done && mask_path)
        done = read_scaled(program, mask_path, &scene.size, &mask);
    size_t cells = (size_t)scene.size.nx * (size_t)scene.size.ny;
    if (done) {
        scene.picture = calloc(3 * cells, sizeof *scene.picture);
        scene.walls = calloc(cells, 1);
        if (!scene.picture || !scene.walls)
            done = complain(program, picture_path, "no memory for it; give a smaller --size");
    }
    if (done)
        light_of(&image, scene.picture);
    if (done && mask_path && walls_of(&mask, scene.walls) == 0)
        done = complain(program, mask_path, "leaves no room for the smoke: every pixel is bright; paint what is free black");
    scene.image = image;
    picture_free(&mask);
    if (done)
        *out = scene;
    else
        fluid_scene_free(&scene);
    return done;
}

void fluid_scene_free(fluid_scene *scene)
{
    picture_free(&scene->image);
    free(scene->picture);
    free(scene->walls);
    *scene = (fluid_scene){0};
}
