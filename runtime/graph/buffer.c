/* buffer.c - descriptions of buffers and params, checked once, and their holders. */
#include "graph/buffer.h"
#include "util/memory.h"
#include "util/status.h"
#include <assert.h>
#include <pthread.h>
#include <string.h>

enum { RING_MOST = 4096, PARAM_BYTES_MOST = 65536 };

static weir_status check_desc(const weir_buffer_desc *d)
{
    const char *name = d->name;
    if (!name)
        return weir_fail(WEIR_ERR_INVALID, "a buffer needs a name");
    if (d->element_bytes == 0 && d->nx != 0)
        return weir_fail(WEIR_ERR_INVALID, "buffer '%s': element_bytes is 0", name);
    if (d->copies != WEIR_RING_AUTO && d->copies > RING_MOST)
        return weir_fail(WEIR_ERR_INVALID, "buffer '%s': %u copies, at most %d", name, d->copies, RING_MOST);
    if ((unsigned)d->place > WEIR_HOST_LOCAL)
        return weir_fail(WEIR_ERR_INVALID, "buffer '%s': unknown place %d", name, (int)d->place);
    if (d->device != 0)
        return weir_fail(WEIR_ERR_INVALID, "buffer '%s': device %u, there is only device 0", name, d->device);
    uint64_t row = (uint64_t)d->nx * d->element_bytes, ny = d->ny ? d->ny : 1, nz = d->nz ? d->nz : 1;
    if (d->nx != 0 && row / d->nx != d->element_bytes)
        return weir_fail(WEIR_ERR_INVALID, "buffer '%s': larger than memory can be", name);
    if (d->row_bytes != 0 && d->row_bytes < row)
        return weir_fail(WEIR_ERR_INVALID, "buffer '%s': row_bytes %zu is less than a row, %zu", name, d->row_bytes, (size_t)row);
    double rows = (double)(d->row_bytes ? d->row_bytes : row) * (double)ny;
    if (d->slice_bytes != 0 && (double)d->slice_bytes < rows)
        return weir_fail(WEIR_ERR_INVALID, "buffer '%s': slice_bytes %zu is less than %u rows", name, d->slice_bytes, (unsigned)ny);
    if ((d->slice_bytes ? (double)d->slice_bytes : rows) * (double)nz > (double)(SIZE_MAX / 4))
        return weir_fail(WEIR_ERR_INVALID, "buffer '%s': larger than memory can be", name);
    if (d->adopted && d->copies == WEIR_RING_AUTO)
        return weir_fail(WEIR_ERR_INVALID, "buffer '%s': a ring of adopted memory needs its number of copies", name);
    if (d->adopted && d->nx == 0)
        return weir_fail(WEIR_ERR_INVALID, "buffer '%s': a token has no memory to adopt", name);
    for (uint32_t i = 0; d->adopted && i < (d->copies ? d->copies : 1); i++)
        if (!d->adopted[i])
            return weir_fail(WEIR_ERR_INVALID, "buffer '%s': adopted pointer %u is NULL", name, i);
    return WEIR_OK;
}

weir_status weir_buffer_create(const weir_buffer_desc *desc, weir_buffer **out)
{
    if (!desc || !out)
        return weir_fail(WEIR_ERR_INVALID, "weir_buffer_create: NULL argument");
    weir_status status = check_desc(desc);
    if (status != WEIR_OK)
        return status;
    weir_buffer *buffer = weir_alloc(1, sizeof *buffer);
    if (!buffer)
        return weir_fail_no_memory();
    buffer->element_bytes = desc->element_bytes;
    buffer->n[0] = desc->nx;
    buffer->n[1] = desc->ny ? desc->ny : 1;
    buffer->n[2] = desc->nz ? desc->nz : 1;
    buffer->row_bytes = desc->row_bytes ? desc->row_bytes : desc->nx * desc->element_bytes;
    buffer->slice_bytes = desc->slice_bytes ? desc->slice_bytes : buffer->row_bytes * buffer->n[1];
    buffer->copies = desc->copies ? desc->copies : 1;
    buffer->place = desc->place;
    atomic_init(&buffer->holders, 1);
    buffer->name = weir_alloc_text(desc->name);
    if (desc->adopted)
        buffer->adopted = weir_alloc_copy(desc->adopted, buffer->copies * sizeof *buffer->adopted);
    if (!buffer->name || (desc->adopted && !buffer->adopted)) {
        weir_buffer_destroy(buffer);
        return weir_fail_no_memory();
    }
    *out = buffer;
    return WEIR_OK;
}

void weir_buffer_destroy(weir_buffer *buffer)
{
    weir_buffer_release(buffer);
}

weir_buffer *weir_buffer_hold(weir_buffer *buffer)
{
    atomic_fetch_add_explicit(&buffer->holders, 1, memory_order_relaxed);
    return buffer;
}

/* One lock for all lists of attachments: they change when an exec is made, a buffer dies or a runtime ends. */
static pthread_mutex_t attachments_lock = PTHREAD_MUTEX_INITIALIZER;

void weir_buffer_release(weir_buffer *buffer)
{
    if (!buffer || atomic_fetch_sub_explicit(&buffer->holders, 1, memory_order_acq_rel) != 1)
        return;
    for (;;) { /* a runtime that ends meanwhile may take one of them first */
        pthread_mutex_lock(&attachments_lock);
        weir_attachment *attachment = buffer->attachments;
        if (attachment)
            buffer->attachments = attachment->next;
        pthread_mutex_unlock(&attachments_lock);
        if (!attachment)
            break;
        attachment->release(attachment);
    }
    weir_free(buffer->adopted);
    weir_free((char *)buffer->name);
    weir_free(buffer);
}

bool weir_buffer_is_token(const weir_buffer *buffer)
{
    return buffer->n[0] == 0;
}

bool weir_buffer_is_ring(const weir_buffer *buffer)
{
    return buffer->copies > 1;
}

size_t weir_buffer_copy_bytes(const weir_buffer *buffer)
{
    return buffer->slice_bytes * buffer->n[2];
}

uint32_t weir_buffer_copies(const weir_buffer *buffer, uint32_t automatic)
{
    if (buffer->copies != WEIR_RING_AUTO)
        return buffer->copies;
    unsigned fixed = atomic_load_explicit(&((weir_buffer *)buffer)->fixed_copies, memory_order_relaxed);
    return fixed ? fixed : automatic;
}

uint32_t weir_buffer_fix_copies(weir_buffer *buffer, uint32_t copies)
{
    if (buffer->copies != WEIR_RING_AUTO)
        return buffer->copies;
    unsigned fixed = 0;
    if (atomic_compare_exchange_strong(&buffer->fixed_copies, &fixed, copies))
        return copies;
    return fixed;
}

void weir_buffer_attach(weir_buffer *buffer, weir_attachment *attachment)
{
    pthread_mutex_lock(&attachments_lock);
    attachment->next = buffer->attachments;
    buffer->attachments = attachment;
    pthread_mutex_unlock(&attachments_lock);
}

weir_attachment *weir_buffer_attachment(weir_buffer *buffer, const void *owner)
{
    pthread_mutex_lock(&attachments_lock);
    weir_attachment *found = buffer->attachments;
    while (found && found->owner != owner)
        found = found->next;
    pthread_mutex_unlock(&attachments_lock);
    return found;
}

bool weir_buffer_detach(weir_buffer *buffer, weir_attachment *attachment)
{
    pthread_mutex_lock(&attachments_lock);
    weir_attachment **link = &buffer->attachments;
    while (*link && *link != attachment)
        link = &(*link)->next;
    bool linked = *link != NULL;
    if (linked)
        *link = attachment->next;
    pthread_mutex_unlock(&attachments_lock);
    return linked;
}

weir_status weir_param_create(const char *name, const void *initial, size_t bytes, weir_param **out)
{
    if (!name || !initial || !out)
        return weir_fail(WEIR_ERR_INVALID, "weir_param_create: NULL argument");
    if (bytes == 0 || bytes > PARAM_BYTES_MOST)
        return weir_fail(WEIR_ERR_INVALID, "param '%s': %zu bytes, must be 1 to %d", name, bytes, PARAM_BYTES_MOST);
    weir_param *param = weir_alloc(1, sizeof *param + bytes);
    char *text = param ? weir_alloc_text(name) : NULL;
    if (!text) {
        weir_free(param);
        return weir_fail_no_memory();
    }
    param->name = text;
    param->bytes = bytes;
    memcpy(param->initial, initial, bytes);
    atomic_init(&param->holders, 1);
    *out = param;
    return WEIR_OK;
}

void weir_param_destroy(weir_param *param)
{
    weir_param_release(param);
}

weir_param *weir_param_hold(weir_param *param)
{
    atomic_fetch_add_explicit(&param->holders, 1, memory_order_relaxed);
    return param;
}

void weir_param_release(weir_param *param)
{
    if (!param || atomic_fetch_sub_explicit(&param->holders, 1, memory_order_acq_rel) != 1)
        return;
    weir_free((char *)param->name);
    weir_free(param);
}
