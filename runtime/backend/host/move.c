/* move.c - the arithmetic of boxes as bytes. Rows that lie one behind the other in both buffers count as one long row. */
#include "backend/host/move.h"
#include "weir/kernel.h"
#include <string.h>

enum { PIECE_BYTES = 1 << 17 };

/* Where the rows of a box lie, from the base of its copy. */
typedef struct {
    size_t first, row_step, slice_step;
} layout;

typedef struct {
    layout to, from;       /* from: of copies */
    size_t row_bytes;
    uint64_t rows, slices, pieces_in_row;
} movement;

static layout layout_of(const weir_buffer *b, const weir_span *s)
{
    return (layout){
        .first = s->lo[2] * b->slice_bytes + s->lo[1] * b->row_bytes + s->lo[0] * b->element_bytes,
        .row_step = b->row_bytes,
        .slice_step = b->slice_bytes,
    };
}

static movement movement_of(const weir_body *body, const weir_task_record *task)
{
    const weir_arg_record *arg = &body->args.at[task->arg_first];
    const weir_buffer *to = body->buffers.at[arg[0].index].buffer;
    weir_span span = weir_arg_span(body, &arg[0]);
    movement m = {.to = layout_of(to, &span)};
    m.row_bytes = weir_buffer_is_token(to) ? 0 : (span.hi[0] - span.lo[0]) * to->element_bytes;
    m.rows = span.hi[1] - span.lo[1];
    m.slices = span.hi[2] - span.lo[2];
    m.from = m.to;
    if (task->kind == WEIR_KIND_COPY) {
        weir_span other = weir_arg_span(body, &arg[1]);
        m.from = layout_of(body->buffers.at[arg[1].index].buffer, &other);
    }
    if (m.rows == 1 || (m.row_bytes == m.to.row_step && m.row_bytes == m.from.row_step)) {
        m.row_bytes *= m.rows;
        m.rows = 1;
        if (m.slices == 1 || (m.row_bytes == m.to.slice_step && m.row_bytes == m.from.slice_step)) {
            m.row_bytes *= m.slices;
            m.slices = 1;
        }
    }
    m.pieces_in_row = m.row_bytes <= PIECE_BYTES ? 1 : (m.row_bytes + PIECE_BYTES - 1) / PIECE_BYTES;
    return m;
}

uint64_t weir_host_move_blocks(const weir_body *body, const weir_task_record *task)
{
    movement m = movement_of(body, task);
    return m.rows * m.slices * m.pieces_in_row;
}

static void fill_piece(unsigned char *to, size_t bytes, const weir_task_record *task)
{
    unsigned char pattern[4];
    memcpy(pattern, &task->with.pattern.value, sizeof pattern);
    if (task->with.pattern.bytes == 1) {
        memset(to, pattern[0], bytes);
        return;
    }
    size_t i = 0;
    for (; i + sizeof pattern <= bytes; i += sizeof pattern)
        memcpy(to + i, pattern, sizeof pattern);
    memcpy(to + i, pattern, bytes - i); /* an odd number of 2-byte patterns */
}

void weir_host_move(const weir_body *body, const weir_task_record *task, void *const *args, uint64_t first, uint64_t count)
{
    movement m = movement_of(body, task);
    unsigned char *to = WEIR_PASSED(unsigned char *, args, 0);
    const unsigned char *from = task->kind == WEIR_KIND_COPY ? WEIR_PASSED(unsigned char *, args, 1) : NULL;
    for (uint64_t b = first; b < first + count && m.row_bytes > 0; b++) {
        uint64_t row = b / m.pieces_in_row, y = row % m.rows, z = row / m.rows;
        size_t start = b % m.pieces_in_row * PIECE_BYTES, bytes = m.row_bytes - start < PIECE_BYTES ? m.row_bytes - start : PIECE_BYTES;
        unsigned char *at = to + m.to.first + z * m.to.slice_step + y * m.to.row_step + start;
        if (from)
            memcpy(at, from + m.from.first + z * m.from.slice_step + y * m.from.row_step + start, bytes);
        else
            fill_piece(at, bytes, task);
    }
}
