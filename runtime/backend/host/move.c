/* move.c - does copies and fills in pieces, so that workers can share them. */
#include "backend/host/move.h"
#include "backend/movement.h"
#include "weir/kernel.h"
#include <string.h>

enum { PIECE_BYTES = 1 << 17 };

static uint64_t pieces_in_row(const weir_movement *m)
{
    return m->row_bytes <= PIECE_BYTES ? 1 : (m->row_bytes + PIECE_BYTES - 1) / PIECE_BYTES;
}

uint64_t weir_host_move_blocks(const weir_body *body, const weir_task_record *task)
{
    weir_movement m = weir_movement_of(body, task);
    return m.rows * m.slices * pieces_in_row(&m);
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
    weir_movement m = weir_movement_of(body, task);
    uint64_t pieces = pieces_in_row(&m);
    unsigned char *to = WEIR_PASSED(unsigned char *, args, 0);
    const unsigned char *from = task->kind == WEIR_KIND_COPY ? WEIR_PASSED(unsigned char *, args, 1) : NULL;
    for (uint64_t b = first; b < first + count && m.row_bytes > 0; b++) {
        uint64_t row = b / pieces, y = row % m.rows, z = row / m.rows;
        size_t start = b % pieces * PIECE_BYTES, bytes = m.row_bytes - start < PIECE_BYTES ? m.row_bytes - start : PIECE_BYTES;
        unsigned char *at = to + m.to.first + z * m.to.slice_step + y * m.to.row_step + start;
        if (from)
            memcpy(at, from + m.from.first + z * m.from.slice_step + y * m.from.row_step + start, bytes);
        else
            fill_piece(at, bytes, task);
    }
}
