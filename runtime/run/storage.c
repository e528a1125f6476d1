/* storage.c - the memory of buffers in a runtime: made by the first exec that uses one, read and written by the program between
 * frames. */
#include "run/exec.h"
#include "run/runtime.h"
#include "util/memory.h"
#include "util/status.h"
#include <assert.h>
#include <string.h>

enum { GUARD_BYTES = 64, GUARD_VALUE = 0xa5 };

static weir_status adopt_copy(weir_storage *storage, void *given, void **copy)
{
    const weir_backend_ops *ops = storage->runtime->ops;
    weir_status status = ops->adopt && storage->bytes > 0 ? ops->adopt(storage->runtime->backend, storage->place, given, storage->bytes) : WEIR_OK;
    if (status != WEIR_OK)
        return weir_fail(status, "buffer '%s': its adopted memory cannot be used: %s", storage->buffer->name, weir_last_error());
    *copy = given;
    return WEIR_OK;
}

static void abandon_copy(weir_storage *storage, void *copy)
{
    const weir_backend_ops *ops = storage->runtime->ops;
    if (ops->abandon && storage->bytes > 0)
        ops->abandon(storage->runtime->backend, storage->place, copy, storage->bytes);
}

/* Not in any list any more, or not yet. */
static void storage_free(weir_storage *storage)
{
    weir_runtime *runtime = storage->runtime;
    for (uint32_t i = 0; storage->copies && i < storage->count; i++)
        if (storage->copies[i] && storage->adopted)
            abandon_copy(storage, storage->copies[i]);
        else if (storage->copies[i])
            runtime->ops->give(runtime->backend, storage->place, (unsigned char *)storage->copies[i] - storage->guard_bytes);
    weir_free(storage->copies);
    weir_free(storage->users);
    weir_free(storage);
    weir_runtime_release(runtime);
}

static void unlink_storage(weir_storage *storage)
{
    *storage->link = storage->next;
    if (storage->next)
        storage->next->link = storage->link;
}

/* The last holder of the buffer has gone, so no exec uses it. */
static void buffer_dies(weir_attachment *attachment)
{
    weir_storage *storage = (weir_storage *)attachment;
    assert(!storage->uses);
    pthread_mutex_lock(&storage->runtime->lock);
    unlink_storage(storage);
    pthread_mutex_unlock(&storage->runtime->lock);
    storage_free(storage);
}

/* Memory for one copy; between guards when debugging, so that whoever writes past its ends can be named. */
static weir_status take_copy(weir_storage *storage, void **copy)
{
    const weir_runtime *runtime = storage->runtime;
    size_t guard = storage->guard_bytes;
    unsigned char *taken = runtime->ops->take(runtime->backend, storage->place, storage->bytes + 2 * guard), pattern[GUARD_BYTES];
    if (!taken)
        return weir_fail(WEIR_ERR_NO_MEMORY, "buffer '%s': out of memory: %u copies of %zu bytes", storage->buffer->name, storage->count, storage->bytes);
    *copy = taken + guard;
    memset(pattern, GUARD_VALUE, sizeof pattern);
    weir_status status = WEIR_OK;
    if (guard > 0)
        status = runtime->ops->write(runtime->backend, storage->place, taken, pattern, guard);
    if (guard > 0 && status == WEIR_OK)
        status = runtime->ops->write(runtime->backend, storage->place, taken + guard + storage->bytes, pattern, guard);
    return status;
}

static bool guard_is_intact(const weir_storage *storage, const unsigned char *guard)
{
    unsigned char found[GUARD_BYTES];
    if (storage->runtime->ops->read(storage->runtime->backend, storage->place, found, guard, sizeof found) != WEIR_OK)
        return true; /* not for guards to say */
    for (size_t i = 0; i < sizeof found; i++)
        if (found[i] != GUARD_VALUE)
            return false;
    return true;
}

bool weir_storage_is_intact(const weir_storage *storage)
{
    for (uint32_t i = 0; storage->guard_bytes > 0 && i < storage->count; i++) {
        const unsigned char *copy = storage->copies[i];
        if (!guard_is_intact(storage, copy - storage->guard_bytes) || !guard_is_intact(storage, copy + storage->bytes))
            return false;
    }
    return true;
}

static weir_status take_copies(weir_storage *storage, const weir_buffer *buffer)
{
    storage->copies = weir_alloc(storage->count, sizeof *storage->copies);
    if (buffer->place == WEIR_HOST_IN)
        storage->users = weir_alloc(storage->count, sizeof *storage->users);
    if (!storage->copies || (buffer->place == WEIR_HOST_IN && !storage->users))
        return weir_fail_no_memory();
    weir_status status = WEIR_OK;
    for (uint32_t i = 0; i < storage->count && status == WEIR_OK; i++)
        if (storage->adopted)
            status = adopt_copy(storage, buffer->adopted[i], &storage->copies[i]);
        else if (storage->bytes > 0)
            status = take_copy(storage, &storage->copies[i]);
    return status;
}

weir_status weir_storage_of(weir_runtime *runtime, weir_buffer *buffer, uint32_t automatic, weir_storage **out)
{
    weir_storage *storage = (weir_storage *)weir_buffer_attachment(buffer, runtime);
    if (storage) {
        *out = storage;
        return WEIR_OK;
    }
    storage = weir_alloc(1, sizeof *storage);
    if (!storage)
        return weir_fail_no_memory();
    storage->attachment = (weir_attachment){.owner = runtime, .release = buffer_dies};
    storage->runtime = runtime;
    weir_runtime_hold(runtime);
    storage->buffer = buffer;
    storage->place = buffer->place;
    storage->adopted = buffer->adopted != NULL;
    storage->count = weir_buffer_fix_copies(buffer, automatic);
    storage->bytes = weir_buffer_copy_bytes(buffer);
    if (runtime->debug && !storage->adopted && storage->bytes > 0)
        storage->guard_bytes = GUARD_BYTES;
    storage->newest = storage->count - 1; /* so that the first frame's copy is number 0 */
    weir_status status = take_copies(storage, buffer);
    if (status != WEIR_OK) {
        storage_free(storage);
        return status;
    }
    pthread_mutex_lock(&runtime->lock);
    storage->next = runtime->storages;
    storage->link = &runtime->storages;
    if (storage->next)
        storage->next->link = &storage->next;
    runtime->storages = storage;
    pthread_mutex_unlock(&runtime->lock);
    weir_buffer_attach(buffer, &storage->attachment);
    *out = storage;
    return WEIR_OK;
}

static void find_furthest_back(weir_storage *storage)
{
    storage->furthest_back = 0;
    for (const weir_use *use = storage->uses; use; use = use->next)
        if (use->furthest_back > storage->furthest_back)
            storage->furthest_back = use->furthest_back;
}

void weir_storage_link(weir_use *use)
{
    use->next = use->storage->uses;
    use->storage->uses = use;
    use->awaited = use->held_from = 0; /* of a transfer under way: all its frames come after */
    find_furthest_back(use->storage);
}

void weir_storage_unlink(weir_use *use)
{
    weir_storage *storage = use->storage;
    for (weir_use **link = &storage->uses; *link; link = &(*link)->next)
        if (*link == use) {
            *link = use->next;
            break;
        }
    for (uint32_t i = 0; storage->users && i < storage->count; i++)
        if (storage->users[i].exec == use->exec)
            storage->users[i].exec = NULL;
    find_furthest_back(storage);
}

void weir_storages_end(weir_runtime *runtime)
{
    weir_storage *ending = NULL;
    pthread_mutex_lock(&runtime->lock);
    for (weir_storage *storage = runtime->storages, *next; storage; storage = next) {
        next = storage->next;
        /* One that execs still use goes with its buffer; one that its dying buffer has unhooked is freed there. */
        if (storage->uses || !weir_buffer_detach(storage->buffer, &storage->attachment))
            continue;
        unlink_storage(storage);
        storage->next = ending;
        ending = storage;
    }
    pthread_mutex_unlock(&runtime->lock);
    while (ending) {
        weir_storage *next = ending->next;
        storage_free(ending);
        ending = next;
    }
}

/* ---- reading and writing between frames ---- */

typedef struct {
    weir_runtime *runtime;
    weir_storage *storage;
    size_t offset, bytes;
    uint32_t newest; /* copy, of the frames that were waited for: submitting more moves the storage's own */
} transfer;

static bool is_awaited(const weir_storage *storage)
{
    for (const weir_use *use = storage->uses; use; use = use->next)
        if (use->exec->done < use->awaited)
            return true;
    return false;
}

/* After other transfers: waits for the frames submitted so far that write the buffer (or, for a writer, touch it), and holds back those
 * that come after. Must be followed by end_transfer if it returns WEIR_OK; the lock is held neither before nor after. */
static weir_status begin_transfer(transfer *t, weir_buffer *buffer, bool for_writing)
{
    weir_runtime *runtime = t->runtime;
    weir_storage *storage = t->storage = (weir_storage *)weir_buffer_attachment(buffer, runtime);
    if (!storage)
        return weir_fail(WEIR_ERR_STATE, "buffer '%s' has no memory in this runtime before the first exec that uses it is made", buffer->name);
    if (t->offset > storage->bytes || t->bytes > storage->bytes - t->offset)
        return weir_fail(WEIR_ERR_INVALID, "buffer '%s': bytes %zu to %zu are past its end, %zu", buffer->name, t->offset, t->offset + t->bytes, storage->bytes);
    pthread_mutex_lock(&runtime->lock);
    while (storage->under_way)
        weir_runtime_await(runtime, INT64_MAX);
    storage->under_way = true;
    t->newest = storage->newest;
    for (weir_use *use = storage->uses; use; use = use->next) {
        use->awaited = for_writing ? use->last_touch : use->last_write;
        use->held_from = use->exec->submitted;
    }
    while (is_awaited(storage))
        weir_runtime_await(runtime, INT64_MAX);
    pthread_mutex_unlock(&runtime->lock);
    return WEIR_OK;
}

static void end_transfer(transfer *t)
{
    pthread_mutex_lock(&t->runtime->lock);
    t->storage->under_way = false;
    weir_runtime_release_frames(t->runtime);
    weir_runtime_notify(t->runtime);
    pthread_mutex_unlock(&t->runtime->lock);
}

weir_status weir_buffer_write(weir_runtime *runtime, weir_buffer *buffer, const void *data, size_t offset_bytes, size_t bytes)
{
    if (!runtime || !buffer || (!data && bytes > 0))
        return weir_fail(WEIR_ERR_INVALID, "weir_buffer_write: NULL argument");
    transfer t = {.runtime = runtime, .offset = offset_bytes, .bytes = bytes};
    weir_status status = begin_transfer(&t, buffer, true);
    if (status != WEIR_OK)
        return status;
    for (uint32_t i = 0; status == WEIR_OK && i < t.storage->count && bytes > 0; i++)
        status = runtime->ops->write(runtime->backend, t.storage->place, (unsigned char *)t.storage->copies[i] + offset_bytes, data, bytes);
    end_transfer(&t);
    return status;
}

weir_status weir_buffer_read(weir_runtime *runtime, weir_buffer *buffer, void *data, size_t offset_bytes, size_t bytes)
{
    if (!runtime || !buffer || (!data && bytes > 0))
        return weir_fail(WEIR_ERR_INVALID, "weir_buffer_read: NULL argument");
    transfer t = {.runtime = runtime, .offset = offset_bytes, .bytes = bytes};
    weir_status status = begin_transfer(&t, buffer, false);
    if (status != WEIR_OK)
        return status;
    if (bytes > 0)
        status = runtime->ops->read(runtime->backend, t.storage->place, data, (const unsigned char *)t.storage->copies[t.newest] + offset_bytes, bytes);
    end_transfer(&t);
    return status;
}
