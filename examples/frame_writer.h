/* frame_writer.h - writes a run's frames as numbered PNGs, and one contact sheet of a dozen of them.
 * Threads: frames come one after another, from whichever thread; the rest is for when none is in flight. */
#ifndef WEIR_EXAMPLES_FRAME_WRITER_H
#define WEIR_EXAMPLES_FRAME_WRITER_H

#include "picture.h"
#include "weir/status.h"

typedef struct {
    const char *folder;
    uint32_t width, height;   /* of a frame */
    uint32_t frames, written; /* how many there will be, and are */
    uint32_t tiles, columns, tile_width, tile_height;
    picture sheet;
    char path[4096];          /* of what was written last */
    picture_trouble trouble;  /* why that failed; empty if it did not */
} frame_writer;

/* Makes the folder where it is missing, its parents too. On failure `path` and `trouble` say why. */
bool frame_writer_init(frame_writer *writer, const char *folder, uint32_t width, uint32_t height, uint32_t frames);
void frame_writer_finish(frame_writer *writer);

/* A host task (weir_host_fn): `user` is the writer, args[0] the pixels of the next frame. WEIR_ERR_IO: see `path`, `trouble`. */
weir_status frame_writer_encode(void *user, void *const *args);

/* Writes contact.png with the frames there are. Afterwards `path` is its path. */
bool frame_writer_sheet(frame_writer *writer);

#endif
