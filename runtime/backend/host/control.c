/* control.c - loops and branches: their bodies made into sequences of entries, and where a lane goes in them. Runs nothing: entry.c does. The
 * design stands in device.h. */
#include "backend/host/device.h"
#include "util/status.h"
#include "util/table.h"
#include <string.h>

/* ---- making ---- */

static void *take(weir_program *program, size_t count, size_t bytes)
{
    void *taken = weir_arena_take(&program->bodies, count * bytes);
    return taken ? memset(taken, 0, count * bytes) : NULL;
}

static weir_status make_sequence(weir_program *program, const weir_image *image, uint32_t depth, sequence *made)
{
    const weir_plan *plan = image->plan;
    void **fixed_args = take(program, image->pass_first[plan->tasks], sizeof *fixed_args);
    const sequence *bodies = NULL;
    *made = (sequence){.image = image, .entries = take(program, plan->tasks, sizeof *made->entries)};
    weir_status status = fixed_args && made->entries ? weir_host_bodies_make(program, image, depth + 1, &bodies) : weir_fail_no_memory();
    for (uint32_t i = 0; i < plan->tasks && status == WEIR_OK; i++) {
        uint32_t task = plan->order[i];
        if (plan->body->tasks.at[task].kind != WEIR_KIND_EMPTY)
            weir_host_entry_make(program, image, bodies, task, fixed_args + image->pass_first[task], &made->entries[made->count++]);
    }
    return status;
}

/* A body that several loops share is made once, as it was planned. */
weir_status weir_host_bodies_make(weir_program *program, const weir_image *image, uint32_t depth, const sequence **out)
{
    uint32_t count = image->plan->body->inner.count;
    if (count == 0)
        return WEIR_OK;
    if (program->depth_most < depth)
        program->depth_most = depth;
    weir_table *planned = weir_table_create();
    sequence *made = take(program, count, sizeof *made);
    weir_status status = planned && made ? WEIR_OK : weir_fail_no_memory();
    for (uint32_t i = 0; i < count && status == WEIR_OK; i++) {
        uint32_t same = weir_table_get_pointer(planned, image->inner[i].plan);
        if (same != UINT32_MAX)
            made[i] = made[same];
        else if (!weir_table_put_pointer(planned, image->inner[i].plan, i))
            status = weir_fail_no_memory();
        else
            status = make_sequence(program, &image->inner[i], depth, &made[i]);
    }
    weir_table_destroy(planned);
    *out = made;
    return status;
}

/* ---- running ---- */

void weir_host_control_enter(lane *l, const weir_image *image, const entry *what)
{
    const weir_body *body = image->plan->body;
    l->levels[l->depth++] = (level){.what = what, .control = &body->controls.at[body->tasks.at[what->task].with.control]};
}

void weir_host_control_passed(lane *l)
{
    l->levels[l->depth - 1].next++;
}

/* Looks at the word that decides. False if the loop or branch is done. */
static bool begin_round(level *at)
{
    uint32_t word = *WEIR_PASSED(uint32_t *, at->what->args, 0);
    uint32_t choice = weir_control_choice(at->what->kind, at->control, word);
    if (choice == UINT32_MAX || at->rounds == at->control->at_most)
        return false;
    at->rounds++;
    at->body = &at->what->code.bodies[choice];
    at->next = 0;
    return true;
}

const entry *weir_host_control_next(lane *l)
{
    level *at = &l->levels[l->depth - 1];
    if (at->body && at->next < at->body->count) {
        const entry *what = &at->body->entries[at->next];
        if (!weir_kind_is_control(what->kind))
            return what;
        weir_host_control_enter(l, at->body->image, what);
    } else if (!begin_round(at)) {
        l->depth--;
        if (l->depth > 0)
            weir_host_control_passed(l);
    }
    return NULL;
}
