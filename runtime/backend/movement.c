/* movement.c - the arithmetic of boxes as bytes. */
#include "backend/movement.h"

static weir_layout layout_of(const weir_buffer *b, const weir_span *s)
{
    return (weir_layout){
        .first = s->lo[2] * b->slice_bytes + s->lo[1] * b->row_bytes + s->lo[0] * b->element_bytes,
        .row_step = b->row_bytes,
        .slice_step = b->slice_bytes,
    };
}

weir_movement weir_movement_of(const weir_body *body, const weir_task_record *task)
{
    const weir_arg_record *arg = &body->args.at[task->arg_first];
    const weir_buffer *to = body->buffers.at[arg[0].index].buffer;
    weir_span span = weir_arg_span(body, &arg[0]);
    weir_movement m = {.to = layout_of(to, &span)};
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
    if (m.rows == 1) { /* slices of one row each are rows */
        m.rows = m.slices;
        m.slices = 1;
        m.to.row_step = m.to.slice_step;
        m.from.row_step = m.from.slice_step;
    }
    return m;
}
