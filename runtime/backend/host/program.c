/* program.c - makes a plan into lanes of entries, and answers for its frames. */
#include "backend/host/device.h"
#include "backend/host/move.h"
#include "util/memory.h"
#include "util/status.h"
#include <assert.h>
#include <sched.h>

static weir_status check_plan(void *unused, const weir_plan *plan)
{
    for (uint32_t t = 0; t < plan->tasks; t++) {
        const weir_task_record *task = &plan->body->tasks.at[t];
        if (task->kind == WEIR_KIND_KERNEL && !task->code.kernel->host)
            return weir_fail(WEIR_ERR_BACKEND, "task '%s': kernel '%s' has no code for the host (no host twin)", task->name, task->code.kernel->name);
        if (task->kind == WEIR_KIND_NATIVE && !task->code.native->host)
            return weir_fail(WEIR_ERR_BACKEND, "task '%s': native '%s' has no code for the host", task->name, task->code.native->name);
    }
    return weir_plan_each_body(plan, check_plan, unused);
}

weir_status weir_host_check(const weir_backend *device, const weir_plan *plan)
{
    (void)device;
    return check_plan(NULL, plan);
}

static uint64_t block_count(const weir_body *body, const weir_task_record *task)
{
    if (task->kind == WEIR_KIND_COPY || task->kind == WEIR_KIND_FILL)
        return weir_host_move_blocks(body, task);
    if (task->kind != WEIR_KIND_KERNEL)
        return 1;
    const weir_shape *shape = &body->shapes.at[task->with.shape];
    return (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
}

/* A kernel that wants one call gets all its blocks at once, as every entry does that is not shared out. */
static bool is_one_call(const weir_task_record *task)
{
    return task->kind == WEIR_KIND_KERNEL && (task->code.kernel->flags & (WEIR_KERNEL_ONE_CALL | WEIR_KERNEL_COOPERATIVE));
}

static bool take_memory(weir_program *program)
{
    const weir_plan *plan = program->plan;
    uint32_t passes = program->image->pass_first[plan->tasks];
    program->lanes = weir_alloc_lines(plan->lanes, sizeof *program->lanes);
    program->entries = weir_alloc_lines(plan->tasks, sizeof *program->entries);
    program->waits = weir_alloc(plan->wait_first[plan->tasks], sizeof *program->waits);
    program->fixed_args = weir_alloc(passes, sizeof *program->fixed_args);
    program->seen_pool = weir_alloc((size_t)plan->lanes * plan->lanes, sizeof *program->seen_pool);
    program->flights = weir_alloc(plan->frames, sizeof *program->flights);
    return program->lanes && program->entries && program->waits && program->fixed_args && program->seen_pool && program->flights;
}

void weir_host_entry_make(weir_program *program, const weir_image *image, const sequence *bodies, uint32_t t, void **fixed_args, entry *made)
{
    const weir_plan *plan = image->plan;
    const weir_task_record *task = &plan->body->tasks.at[t];
    uint32_t first = image->pass_first[t];
    *made = (entry){
        .blocks = block_count(plan->body, task),
        .task = t,
        .arg_count = (uint16_t)(image->pass_first[t + 1] - first),
        .kind = task->kind,
    };
    if (task->kind == WEIR_KIND_KERNEL)
        made->code.kernel = task->code.kernel->host;
    else if (task->kind == WEIR_KIND_HOST || task->kind == WEIR_KIND_NATIVE) {
        made->code.host = task->kind == WEIR_KIND_HOST ? task->code.host : task->code.native->host;
        made->user = task->with.user;
    }
    bool is_shared = made->blocks > 1 && !is_one_call(task) && program->device->worker_count > 1;
    made->simple = !is_shared && !weir_kind_is_control(task->kind);
    if (weir_task_is_fixed(image, t))
        made->args = fixed_args;
    for (uint32_t i = 0; i < made->arg_count; i++)
        fixed_args[i] = (void *)(uintptr_t)image->pass[first + i].address;
    if (program->args_most < made->arg_count)
        program->args_most = made->arg_count;
    if (weir_kind_is_control(task->kind))
        made->code.bodies = bodies + plan->body->controls.at[task->with.control].first;
}

/* What an entry has that is none of a body. */
static void make_waits(weir_program *program, entry *made)
{
    const weir_plan *plan = program->plan;
    made->records = plan->records[made->task];
    made->wait_first = plan->wait_first[made->task];
    made->wait_count = (uint16_t)(plan->wait_first[made->task + 1] - made->wait_first);
    for (uint32_t i = 0; i < made->wait_count; i++) {
        const weir_wait *w = &plan->wait[made->wait_first + i];
        program->waits[made->wait_first + i] = (lane_wait){plan->lane_position[w->task], plan->lane[w->task], (uint16_t)w->distance};
    }
}

static weir_status make_entries(weir_program *program)
{
    const weir_image *image = program->image;
    const sequence *bodies = NULL;
    weir_status status = weir_host_bodies_make(program, image, 1, &bodies);
    for (uint32_t i = 0; i < program->plan->tasks && status == WEIR_OK; i++) {
        uint32_t t = program->plan->lane_task[i];
        weir_host_entry_make(program, image, bodies, t, program->fixed_args + image->pass_first[t], &program->entries[i]);
        make_waits(program, &program->entries[i]);
    }
    return status;
}

/* With room for the arguments of any entry, and for the loops and branches of any within each other. */
static weir_status make_lanes(weir_program *program)
{
    const weir_plan *plan = program->plan;
    uint32_t args = program->args_most, depth = program->depth_most;
    program->args_pool = weir_alloc((size_t)plan->lanes * args, sizeof *program->args_pool);
    program->levels_pool = weir_alloc((size_t)plan->lanes * depth, sizeof *program->levels_pool);
    if (!program->args_pool || !program->levels_pool)
        return weir_fail_no_memory();
    for (uint32_t k = 0; k < plan->lanes; k++) {
        lane *l = &program->lanes[k];
        l->number = k;
        l->entries = program->entries + plan->lane_first[k];
        l->count = plan->lane_first[k + 1] - plan->lane_first[k];
        l->seen = program->seen_pool + (size_t)k * plan->lanes;
        l->args = program->args_pool + (size_t)k * args;
        l->levels = program->levels_pool + (size_t)k * depth;
        program->busy_lanes += l->count > 0;
    }
    return WEIR_OK;
}

/* ---- the device's table of programs, which workers walk without a lock ---- */

static weir_status add_locked(weir_backend *device, weir_program *program)
{
    program_table *table = atomic_load(&device->programs);
    for (uint32_t i = 0; table && i < table->capacity; i++)
        if (!atomic_load(&table->at[i])) {
            atomic_store(&table->at[i], program);
            return WEIR_OK;
        }
    uint32_t capacity = table ? table->capacity * 2 : 8;
    program_table *larger = weir_alloc(1, sizeof *larger + capacity * sizeof larger->at[0]);
    if (!larger)
        return weir_fail_no_memory();
    larger->capacity = capacity;
    larger->older = table;
    for (uint32_t i = 0; table && i < table->capacity; i++)
        atomic_init(&larger->at[i], atomic_load(&table->at[i]));
    atomic_store(&larger->at[table ? table->capacity : 0], program);
    atomic_store(&device->programs, larger);
    return WEIR_OK;
}

static weir_status table_add(weir_backend *device, weir_program *program)
{
    pthread_mutex_lock(&device->lock);
    weir_status status = add_locked(device, program);
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* Older tables are swept too: a worker may still be walking one. Then nobody new comes in, and who is inside comes out: with no frame
 * in flight he only looks round. */
static void table_remove(weir_backend *device, weir_program *program)
{
    pthread_mutex_lock(&device->lock);
    for (program_table *table = atomic_load(&device->programs); table; table = table->older)
        for (uint32_t i = 0; i < table->capacity; i++)
            if (atomic_load(&table->at[i]) == program)
                atomic_store(&table->at[i], NULL);
    pthread_mutex_unlock(&device->lock);
    for (uint32_t w = 0; w < device->worker_count; w++)
        while (atomic_load(&device->workers[w].visiting) == program)
            sched_yield();
}

/* ---- what run calls ---- */

static void free_program(weir_program *program)
{
    weir_free_lines(program->lanes);
    weir_free_lines(program->entries);
    weir_free(program->waits);
    weir_free(program->fixed_args);
    weir_free(program->seen_pool);
    weir_free(program->args_pool);
    weir_free(program->levels_pool);
    weir_arena_finish(&program->bodies);
    weir_free(program->flights);
    weir_free(program);
}

weir_status weir_host_program_create(weir_backend *device, const weir_image *image, weir_program **out)
{
    weir_program *program = weir_alloc(1, sizeof *program);
    if (!program)
        return weir_fail_no_memory();
    program->device = device;
    program->image = image;
    program->plan = image->plan;
    program->lane_count = image->plan->lanes;
    program->frames = image->plan->frames;
    atomic_init(&program->submitted, 0);
    atomic_init(&program->told, 0);
    atomic_init(&program->failed, UINT64_MAX);
    weir_status status = take_memory(program) ? make_entries(program) : weir_fail_no_memory();
    if (status == WEIR_OK)
        status = make_lanes(program);
    if (status == WEIR_OK)
        status = weir_host_scratch_grow(device, image->plan);
    if (status == WEIR_OK)
        status = table_add(device, program);
    if (status != WEIR_OK) {
        free_program(program);
        return status;
    }
    *out = program;
    return WEIR_OK;
}

void weir_host_program_destroy(weir_program *program)
{
    if (!program)
        return;
    table_remove(program->device, program);
    free_program(program);
}

void weir_host_submit(weir_program *program, const weir_frame_values *values)
{
    flight *f = &program->flights[values->number % program->frames];
    assert(values->number == atomic_load(&program->submitted));
    f->values = values;
    atomic_store_explicit(&f->lanes_left, program->busy_lanes, memory_order_relaxed);
    atomic_store_explicit(&program->submitted, values->number + 1, memory_order_release);
    weir_host_ring(program->device);
}

bool weir_host_task_done(const weir_program *program, uint64_t frame, uint32_t task)
{
    const lane *l = &program->lanes[program->plan->lane[task]];
    return atomic_load_explicit(&((lane *)l)->done, memory_order_acquire) > frame * l->count + program->plan->lane_position[task];
}

/* Of the next tasks of all lanes, one that itself waits for none of the others: it is being run, or about to be. */
uint32_t weir_host_unfinished(const weir_program *program, uint64_t frame)
{
    const weir_plan *plan = program->plan;
    uint32_t found = UINT32_MAX;
    for (uint32_t k = 0; k < program->lane_count; k++) {
        lane *l = &program->lanes[k];
        uint64_t done = atomic_load_explicit(&l->done, memory_order_acquire);
        if (l->count == 0 || done >= (frame + 1) * l->count)
            continue;
        uint64_t at = done / l->count;
        uint32_t task = plan->lane_task[plan->lane_first[k] + done % l->count];
        bool waits = false;
        for (uint32_t i = plan->wait_first[task]; i < plan->wait_first[task + 1] && !waits; i++)
            waits = at >= plan->wait[i].distance && !weir_host_task_done(program, at - plan->wait[i].distance, plan->wait[i].task);
        if (!waits)
            return task;
        found = task;
    }
    return found;
}
