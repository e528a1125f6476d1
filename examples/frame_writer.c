/* frame_writer.c - see frame_writer.h. */
#include "frame_writer.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TILES = 12, COLUMNS = 4, TILE_SIDE = 320, GAP = 4 };

static bool fail(frame_writer *w, int error, const char *advice)
{
    char reason[128] = "unknown error";
    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    snprintf(w->trouble.text, sizeof w->trouble.text, "cannot write there: %s; %s", reason, advice);
    return false;
}

static bool name_file(frame_writer *w, const char *name)
{
    int length = snprintf(w->path, sizeof w->path, "%s/%s", w->folder, name);
    return (length > 0 && (size_t)length < sizeof w->path) || fail(w, ENAMETOOLONG, "give a shorter --output");
}

/* Makes the folder that `path` names, and those it is in. */
static bool make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!made)
            return false;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static bool prepare_folder(frame_writer *w)
{
    if (!name_file(w, ""))
        return false;
    w->path[strlen(w->folder)] = '\0';
    struct stat about;
    if (!make_folders(w->path) || stat(w->folder, &about) != 0)
        return fail(w, errno, "give another --output, or none");
    if (!S_ISDIR(about.st_mode))
        return fail(w, ENOTDIR, "give another --output, or none");
    if (access(w->folder, W_OK | X_OK) != 0)
        return fail(w, errno, "give another --output, or none");
    return true;
}

/* How many tiles a run of so many frames fills, and the size of each. */
static bool lay_out_sheet(frame_writer *w)
{
    uint32_t longer = w->width > w->height ? w->width : w->height;
    uint32_t side = longer < TILE_SIDE ? longer : TILE_SIDE;
    w->tiles = w->frames < TILES ? w->frames : TILES;
    w->columns = w->tiles < COLUMNS ? w->tiles : COLUMNS;
    w->tile_width = (uint32_t)((uint64_t)w->width * side / longer);
    w->tile_height = (uint32_t)((uint64_t)w->height * side / longer);
    w->tile_width += w->tile_width == 0;
    w->tile_height += w->tile_height == 0;
    uint32_t rows = (w->tiles + w->columns - 1) / w->columns;
    if (picture_create(w->columns * (w->tile_width + GAP) + GAP, rows * (w->tile_height + GAP) + GAP, &w->sheet))
        return true;
    return fail(w, ENOMEM, "give a smaller --size");
}

bool frame_writer_init(frame_writer *w, const char *folder, uint32_t width, uint32_t height, uint32_t frames)
{
    *w = (frame_writer){.folder = folder, .width = width, .height = height, .frames = frames};
    return prepare_folder(w) && lay_out_sheet(w);
}

void frame_writer_finish(frame_writer *w)
{
    picture_free(&w->sheet);
}

/* The frame, from 0, that tile `tile` shows: the first, the last, and evenly between. */
static uint32_t frame_of_tile(const frame_writer *w, uint32_t tile)
{
    return w->tiles > 1 ? (uint32_t)((uint64_t)tile * (w->frames - 1) / (w->tiles - 1)) : 0;
}

static void place_tile(frame_writer *w, uint32_t tile, const picture *small)
{
    uint32_t left = GAP + tile % w->columns * (w->tile_width + GAP), top = GAP + tile / w->columns * (w->tile_height + GAP);
    for (uint32_t y = 0; y < small->height; y++)
        memcpy(w->sheet.rgba + 4 * ((size_t)(top + y) * w->sheet.width + left), small->rgba + 4 * (size_t)y * small->width,
            4 * (size_t)small->width);
}

static bool add_to_sheet(frame_writer *w, uint8_t *rgba)
{
    const picture whole = {w->width, w->height, rgba};
    for (uint32_t tile = 0; tile < w->tiles; tile++) {
        picture small;
        if (frame_of_tile(w, tile) != w->written)
            continue;
        if (!picture_scale(&whole, w->tile_width, w->tile_height, &small))
            return fail(w, ENOMEM, "give a smaller --size");
        place_tile(w, tile, &small);
        picture_free(&small);
    }
    return true;
}

weir_status frame_writer_encode(void *user, void *const *args)
{
    frame_writer *w = user;
    uint8_t *rgba = *(uint8_t *const *)args[0];
    char name[32];
    snprintf(name, sizeof name, "frame-%04u.png", w->written + 1);
    if (!name_file(w, name) || !picture_write(w->path, rgba, w->width, w->height, &w->trouble) || !add_to_sheet(w, rgba))
        return WEIR_ERR_IO;
    w->written++;
    return WEIR_OK;
}

bool frame_writer_sheet(frame_writer *w)
{
    return name_file(w, "contact.png") && picture_write(w->path, w->sheet.rgba, w->sheet.width, w->sheet.height, &w->trouble);
}
