/* draw.h - inside this room: what the writers share. */
#ifndef WEIR_OBSERVE_DRAW_H
#define WEIR_OBSERVE_DRAW_H

#include "weir/drawing.h"
#include <stdbool.h>

/* WEIR_ERR_INVALID if some number points nowhere or is not finite, or a text is missing; WEIR_ERR_CYCLE names a task that follows from
 * a cycle of its edges; WEIR_ERR_NO_MEMORY. The functions below rely on it. */
weir_status weir_drawing_check(const weir_drawing *drawing);

/* A topological order of its tasks into `order`. WEIR_ERR_CYCLE, WEIR_ERR_NO_MEMORY. */
weir_status weir_drawing_order(const weir_drawing *drawing, uint32_t *order);

/* Sets keep_edge[i] and keep_carried[i] to 0 for those edges that other edges imply, to 1 for the rest. Keeps all of a drawing so large
 * that looking would take long. WEIR_ERR_NO_MEMORY. */
weir_status weir_drawing_reduce(const weir_drawing *drawing, unsigned char *keep_edge, unsigned char *keep_carried);

/* As weir_drawing_why, of that bound. `text` may be NULL with room 0. */
void weir_why(const weir_drawing *drawing, const char *binding, double bound_ns, char *text, size_t room);

/* The writers. They look at no errors of the stream: whoever closes it does. WEIR_ERR_NO_MEMORY. */
weir_status weir_write_json(const weir_drawing *drawing, FILE *to);
weir_status weir_write_dot(const weir_drawing *drawing, FILE *to);
weir_status weir_write_text(const weir_drawing *drawing, FILE *to);

/* The name of the format that `path` asks for by its suffix, "text" for "-". WEIR_ERR_INVALID names what is allowed. */
weir_status weir_format_of(const char *path, const char **format);

#endif
