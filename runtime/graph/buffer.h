/* buffer.h - described memory and its holders. What a runtime keeps for a buffer (its storage) hangs on it as an attachment,
 * so that the last holder's leaving frees it; this room does not know what it is.
 * Threads: handles are immutable but for the atomics and the list of attachments, which one lock of the process guards. */
#ifndef WEIR_GRAPH_BUFFER_H
#define WEIR_GRAPH_BUFFER_H

#include "weir/buffer.h"
#include <stdatomic.h>
#include <stdbool.h>

typedef struct weir_attachment weir_attachment;
struct weir_attachment {
    const void *owner;                           /* the runtime it belongs to */
    void (*release)(weir_attachment *attachment); /* called once, unlinked, without the lock */
    weir_attachment *next;
};

struct weir_buffer {
    atomic_uint holders;
    const char *name;
    size_t element_bytes, row_bytes, slice_bytes;
    uint32_t n[3]; /* extents; n[0] == 0: a token */
    uint32_t copies; /* >= 1, or WEIR_RING_AUTO */
    atomic_uint fixed_copies; /* of an AUTO ring: 0 until the first exec fixes it */
    weir_place place;
    void **adopted; /* NULL, or `copies` pointers */
    atomic_ullong hint; /* graph id << 32 | index there: a cache of the last graph that looked it up */
    weir_attachment *attachments;
};

struct weir_param {
    atomic_uint holders;
    const char *name;
    size_t bytes;
    unsigned char initial[];
};

weir_buffer *weir_buffer_hold(weir_buffer *buffer);
void weir_buffer_release(weir_buffer *buffer);
weir_param *weir_param_hold(weir_param *param);
void weir_param_release(weir_param *param);

bool weir_buffer_is_token(const weir_buffer *buffer);
bool weir_buffer_is_ring(const weir_buffer *buffer); /* several copies, or as many as needed */
size_t weir_buffer_copy_bytes(const weir_buffer *buffer); /* of one copy, with its padding */

/* The copies it has; an AUTO ring that is not fixed yet would get `automatic`. */
uint32_t weir_buffer_copies(const weir_buffer *buffer, uint32_t automatic);

/* Fixes an AUTO ring to `copies` unless it is fixed already; returns what it has now. */
uint32_t weir_buffer_fix_copies(weir_buffer *buffer, uint32_t copies);

/* Links `attachment`, or finds the one of that owner (NULL if there is none). */
void weir_buffer_attach(weir_buffer *buffer, weir_attachment *attachment);
weir_attachment *weir_buffer_attachment(weir_buffer *buffer, const void *owner);
/* Unlinks it, without releasing it; false if it was gone already, released or about to be. */
bool weir_buffer_detach(weir_buffer *buffer, weir_attachment *attachment);

#endif
