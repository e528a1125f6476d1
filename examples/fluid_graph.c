/* fluid_graph.c - declares buffers, then tasks in the order in which one would do them by hand; weir derives the rest.
 * Costs are nanoseconds a cell, measured on one processor: only their proportions matter, for the order of the plan. */
#include "fluid_graph.h"
#include <string.h>

const char *const fluid_group_names[FLUID_GROUPS] = {"upload", "advect", "colour", "render", "download", "encode", "forces", "solve",
    "project"};

static const fluid_stage stage_of_group[FLUID_GROUPS] = {
    [FLUID_UPLOAD] = FLUID_STAGE_UPLOAD,
    [FLUID_ADVECT] = FLUID_STAGE_SOLVE,
    [FLUID_COLOUR] = FLUID_STAGE_SOLVE,
    [FLUID_RENDER] = FLUID_STAGE_SHADE,
    [FLUID_DOWNLOAD] = FLUID_STAGE_SHADE,
    [FLUID_ENCODE] = FLUID_STAGE_SHADE,
    [FLUID_FORCES] = FLUID_STAGE_SOLVE,
    [FLUID_SOLVE] = FLUID_STAGE_SOLVE,
    [FLUID_PROJECT] = FLUID_STAGE_SOLVE,
};

static const float OVER_RELAXATION = 1.9f, DAMPING = 0.9f;
static const char *const channel_names[3] = {"red", "green", "blue"};

/* What is on the device. Halves: see kernels/pressure.c. */
typedef struct {
    weir_buffer *u, *v, *dye[3];                     /* rings */
    weir_buffer *picture[3], *solid, *clearance[2], *open[2]; /* written by start; picture by each frame too, if that feeds */
    weir_buffer *sources; /* a ring, so that the next ones may come while these are poured */
    weir_buffer *feed;    /* of setup.feeds: the picture as it was uploaded */
    weir_buffer *from_x, *from_y, *vorticity, *rgba;
    weir_buffer *pressure[2], *pressure_other[2], *divergence[2];
    weir_buffer *sums, *means, *residuals, *residual, *too_much; /* of a solve that stops at a residual */
} fields;

typedef struct {
    const fluid_setup *setup;
    fluid_graph *out;
    fields on;
    weir_status status; /* the first failure to make a buffer */
    fluid_group group;  /* of the tasks that are being added */
} builder;

static weir_buffer *buffer(builder *b, const char *name, size_t element_bytes, int32_t nx, int32_t ny, uint32_t nz, uint32_t copies,
    weir_place place)
{
    weir_buffer_desc desc = {.name = name, .element_bytes = element_bytes, .nx = (uint32_t)nx, .ny = (uint32_t)ny, .nz = nz,
        .copies = copies, .place = place};
    weir_buffer *made = NULL;
    if (b->status == WEIR_OK)
        b->status = weir_buffer_create(&desc, &made);
    if (made)
        b->out->all[b->out->count++] = made;
    return made;
}

static weir_buffer *cells(builder *b, const char *name, size_t element_bytes)
{
    return buffer(b, name, element_bytes, b->setup->size.nx, b->setup->size.ny, 1, 1, WEIR_DEVICE);
}

static weir_buffer *half(builder *b, const char *name, size_t element_bytes)
{
    return buffer(b, name, element_bytes, fluid_half(b->setup->size), b->setup->size.ny, 1, 1, WEIR_DEVICE);
}

static weir_buffer *ring(builder *b, const char *name)
{
    return buffer(b, name, sizeof(float), b->setup->size.nx, b->setup->size.ny, 1, WEIR_RING_AUTO, WEIR_DEVICE);
}

static void make_residual_buffers(builder *b)
{
    const int32_t entries = fluid_blocks(fluid_half_shape(b->setup->size));
    b->out->residual = buffer(b, "residual out", sizeof(float), 1, 1, 1, WEIR_RING_AUTO, WEIR_HOST_OUT);
    b->on.residual = buffer(b, "residual", sizeof(float), 1, 1, 1, 1, WEIR_DEVICE);
    b->on.sums = buffer(b, "sums", sizeof(fluid_sums), entries, 1, 1, 1, WEIR_DEVICE);
    b->on.means = buffer(b, "means", sizeof(fluid_means), 1, 1, 1, 1, WEIR_DEVICE);
    b->on.residuals = buffer(b, "residuals", sizeof(float), entries, 1, 1, 1, WEIR_DEVICE);
    b->on.too_much = buffer(b, "too much", sizeof(uint32_t), 1, 1, 1, 1, WEIR_DEVICE);
}

static void make_buffers(builder *b)
{
    static const char *const picture_names[3] = {"picture red", "picture green", "picture blue"};
    fluid_size size = b->setup->size;
    fields *on = &b->on;
    b->out->picture = buffer(b, "picture in", sizeof(float), size.nx, size.ny, 3, 1, WEIR_HOST_IN);
    b->out->walls = buffer(b, "walls in", 1, size.nx, size.ny, 1, 1, WEIR_HOST_IN);
    b->out->sources = buffer(b, "sources in", sizeof(fluid_source), b->setup->motion.sources, 1, 1, WEIR_RING_AUTO, WEIR_HOST_IN);
    b->out->pixels = buffer(b, "pixels", 4, size.nx, size.ny, 1, WEIR_RING_AUTO, WEIR_HOST_OUT);
    if (b->setup->feeds) {
        b->out->feed = buffer(b, "feed in", 4, size.nx, size.ny, 1, WEIR_RING_AUTO, WEIR_HOST_IN);
        on->feed = cells(b, "feed", 4);
    }
    if (b->setup->feeds && b->setup->draw && b->status == WEIR_OK)
        b->status = weir_param_create("number", &(uint64_t){0}, sizeof(uint64_t), &b->out->number);
    on->u = ring(b, "u");
    on->v = ring(b, "v");
    for (int c = 0; c < 3; c++) {
        on->dye[c] = ring(b, channel_names[c]);
        on->picture[c] = cells(b, picture_names[c], sizeof(float));
    }
    on->solid = cells(b, "solid", 1);
    on->clearance[0] = cells(b, "clearance", 1);
    on->clearance[1] = cells(b, "clearance before", 1);
    on->open[0] = half(b, "open red", 1);
    on->open[1] = half(b, "open black", 1);
    on->sources = buffer(b, "sources", sizeof(fluid_source), b->setup->motion.sources, 1, 1, WEIR_RING_AUTO, WEIR_DEVICE);
    on->from_x = cells(b, "from x", sizeof(float));
    on->from_y = cells(b, "from y", sizeof(float));
    on->vorticity = cells(b, "vorticity", sizeof(float));
    on->rgba = cells(b, "rgba", 4);
    on->pressure[0] = half(b, "pressure red", sizeof(float));
    on->pressure[1] = half(b, "pressure black", sizeof(float));
    on->divergence[0] = half(b, "divergence red", sizeof(float));
    on->divergence[1] = half(b, "divergence black", sizeof(float));
    if (b->setup->jacobi) {
        on->pressure_other[0] = half(b, "pressure red, other", sizeof(float));
        on->pressure_other[1] = half(b, "pressure black, other", sizeof(float));
    }
    if (b->setup->residual > 0.0f)
        make_residual_buffers(b);
    b->out->u = on->u;
    b->out->v = on->v;
    memcpy(b->out->pressure, on->pressure, sizeof on->pressure);
    memcpy(b->out->divergence, on->divergence, sizeof on->divergence);
}

/* Names a task just added (NULL: keeps its name), puts it into the group and says how urgent it is and what it costs, or each one if it is a
 * repeat. */
static weir_task describe(builder *b, weir_graph *graph, weir_task task, const char *name, double ns_per_cell)
{
    double cells_of_grid = (double)b->setup->size.nx * (double)b->setup->size.ny;
    weir_task_set(graph, task,
        &(weir_task_options){.name = name, .group = fluid_group_names[b->group], .priority = b->setup->priority[stage_of_group[b->group]],
            .cost_ns = ns_per_cell * cells_of_grid});
    return task;
}

/* Everything that follows, up to the next call, is of this group. */
static void begin_group(builder *b, fluid_group group)
{
    b->group = group;
    b->out->first[group] = weir_graph_task_count(b->out->frame) + 1;
}

/* Once painted, the picture's place is free for the next one, long before it is poured: a single one will do. */
static void add_feed(builder *b)
{
    weir_graph *graph = b->out->frame;
    const fields *on = &b->on;
    fluid_size size = b->setup->size;
    if (b->setup->draw) {
        weir_task draw = weir_add_host(graph, "draw", b->setup->draw, b->setup->draw_user, WEIR_ARGS(WEIR_WRITE(b->out->feed), WEIR_PARAM(b->out->number)));
        weir_task_set(graph, draw,
            &(weir_task_options){.group = fluid_group_names[b->group], .priority = b->setup->priority[FLUID_STAGE_UPLOAD],
                .cost_ns = (double)size.nx * (double)size.ny, .flags = WEIR_TASK_REENTRANT});
    }
    describe(b, graph, weir_add_copy(graph, "upload picture", WEIR_WRITE(on->feed), WEIR_READ(b->out->feed)), NULL, 0.5);
    weir_task paint = weir_add_kernel(graph, &fluid_paint, fluid_shape(size),
        WEIR_ARGS(WEIR_WRITE(on->picture[0]), WEIR_WRITE(on->picture[1]), WEIR_WRITE(on->picture[2]), WEIR_READ(on->feed), WEIR_VALUE(size)));
    describe(b, graph, paint, NULL, 3.0);
}

static void add_upload(builder *b)
{
    begin_group(b, FLUID_UPLOAD);
    weir_task copy = weir_add_copy(b->out->frame, "upload sources", WEIR_WRITE(b->on.sources), WEIR_READ(b->out->sources));
    b->out->handles = describe(b, b->out->frame, copy, NULL, 0.001).graph;
    if (b->setup->feeds)
        add_feed(b);
}

/* By the air of the previous frame, which is free of divergence: where it carries the dye, and where itself. */
static void add_advect(builder *b)
{
    static const char *const names[3] = {"advect red", "advect green", "advect blue"};
    weir_graph *graph = b->out->frame;
    const fields *on = &b->on;
    fluid_size size = b->setup->size;
    float step = b->setup->motion.step;
    weir_shape shape = fluid_shape(size);
    begin_group(b, FLUID_ADVECT);
    weir_task trace = weir_add_kernel(graph, &fluid_trace, shape,
        WEIR_ARGS(WEIR_WRITE(on->from_x), WEIR_WRITE(on->from_y), WEIR_PREVIOUS(on->u, 1), WEIR_PREVIOUS(on->v, 1), WEIR_READ(on->solid),
            WEIR_READ(on->clearance[0]), WEIR_VALUE(size), WEIR_VALUE(step)));
    describe(b, graph, trace, NULL, 11.0);
    for (int c = 0; c < 3; c++) {
        weir_task dye = weir_add_kernel(graph, &fluid_advect_dye, shape,
            WEIR_ARGS(WEIR_WRITE(on->dye[c]), WEIR_PREVIOUS(on->dye[c], 1), WEIR_READ(on->from_x), WEIR_READ(on->from_y),
                WEIR_READ(on->solid), WEIR_READ(on->clearance[0]), WEIR_VALUE(size)));
        describe(b, graph, dye, names[c], 9.0);
    }
    weir_task u = weir_add_kernel(graph, &fluid_advect_u, shape,
        WEIR_ARGS(WEIR_WRITE(on->u), WEIR_PREVIOUS(on->u, 1), WEIR_PREVIOUS(on->v, 1), WEIR_READ(on->solid),
            WEIR_READ(on->clearance[0]), WEIR_VALUE(size), WEIR_VALUE(step)));
    weir_task v = weir_add_kernel(graph, &fluid_advect_v, shape,
        WEIR_ARGS(WEIR_WRITE(on->v), WEIR_PREVIOUS(on->u, 1), WEIR_PREVIOUS(on->v, 1), WEIR_READ(on->solid),
            WEIR_READ(on->clearance[0]), WEIR_VALUE(size), WEIR_VALUE(step)));
    describe(b, graph, u, NULL, 15.0);
    describe(b, graph, v, NULL, 15.0);
}

static void add_colour(builder *b)
{
    static const char *const names[3] = {"pour red", "pour green", "pour blue"};
    weir_graph *graph = b->out->frame;
    const fields *on = &b->on;
    fluid_size size = b->setup->size;
    fluid_motion motion = b->setup->motion;
    begin_group(b, FLUID_COLOUR);
    for (int32_t c = 0; c < 3; c++) {
        weir_task pour = weir_add_kernel(graph, &fluid_pour, fluid_shape(size),
            WEIR_ARGS(WEIR_READ_WRITE(on->dye[c]), WEIR_READ(on->picture[c]), WEIR_READ(on->solid), WEIR_READ(on->sources),
                WEIR_VALUE(size), WEIR_VALUE(motion), WEIR_VALUE(c)));
        describe(b, graph, pour, names[c], 0.8);
    }
}

static void add_render(builder *b)
{
    weir_graph *graph = b->out->frame;
    const fields *on = &b->on;
    fluid_size size = b->setup->size;
    begin_group(b, FLUID_RENDER);
    weir_task shade = weir_add_kernel(graph, &fluid_shade, fluid_shape(size),
        WEIR_ARGS(WEIR_WRITE(on->rgba), WEIR_READ(on->dye[0]), WEIR_READ(on->dye[1]), WEIR_READ(on->dye[2]), WEIR_READ(on->solid),
            WEIR_VALUE(size)));
    describe(b, graph, shade, NULL, 8.0);
    begin_group(b, FLUID_DOWNLOAD);
    describe(b, graph, weir_add_copy(graph, "download", WEIR_WRITE(b->out->pixels), WEIR_READ(on->rgba)), NULL, 0.5);
    begin_group(b, FLUID_ENCODE);
    if (b->setup->encode) {
        weir_task encode = weir_add_host(graph, "encode", b->setup->encode, b->setup->user, WEIR_ARGS(WEIR_READ(b->out->pixels)));
        describe(b, graph, encode, NULL, 40.0);
    }
}

static void add_forces(builder *b)
{
    weir_graph *graph = b->out->frame;
    const fields *on = &b->on;
    fluid_size size = b->setup->size;
    fluid_motion motion = b->setup->motion;
    weir_shape shape = fluid_shape(size);
    begin_group(b, FLUID_FORCES);
    weir_task vorticity = weir_add_kernel(graph, &fluid_vorticity, shape,
        WEIR_ARGS(WEIR_WRITE(on->vorticity), WEIR_READ(on->u), WEIR_READ(on->v), WEIR_VALUE(size)));
    weir_task push_u = weir_add_kernel(graph, &fluid_push_u, shape,
        WEIR_ARGS(WEIR_READ_WRITE(on->u), WEIR_READ(on->vorticity), WEIR_READ(on->solid), WEIR_READ(on->sources), WEIR_VALUE(size),
            WEIR_VALUE(motion)));
    weir_task push_v = weir_add_kernel(graph, &fluid_push_v, shape,
        WEIR_ARGS(WEIR_READ_WRITE(on->v), WEIR_READ(on->vorticity), WEIR_READ(on->dye[0]), WEIR_READ(on->dye[1]), WEIR_READ(on->dye[2]),
            WEIR_READ(on->solid), WEIR_READ(on->sources), WEIR_VALUE(size), WEIR_VALUE(motion)));
    describe(b, graph, vorticity, NULL, 0.4);
    describe(b, graph, push_u, NULL, 1.3);
    describe(b, graph, push_v, NULL, 1.7);
}

/* A sweep is two tasks, one a colour; the second reads what the first wrote. */
static void add_sweep(builder *b, weir_graph *body, float omega)
{
    static const char *const names[2] = {"relax red", "relax black"};
    const fields *on = &b->on;
    fluid_size size = b->setup->size;
    for (int32_t c = 0; c < 2; c++) {
        weir_task relax = weir_add_kernel(body, &fluid_relax, fluid_half_shape(size),
            WEIR_ARGS(WEIR_READ_WRITE(on->pressure[c]), WEIR_READ(on->pressure[1 - c]), WEIR_READ(on->divergence[c]),
                WEIR_READ(on->open[c]), WEIR_VALUE(size), WEIR_VALUE(c), WEIR_VALUE(omega)));
        weir_task_set(body, relax, &(weir_task_options){.name = names[c]});
    }
}

/* Two sweeps, there and back, so that the answer ends where it began. The two colours of a sweep are independent. */
static void add_two_jacobi_sweeps(builder *b, weir_graph *body)
{
    static const char *const names[2] = {"jacobi red", "jacobi black"};
    const fields *on = &b->on;
    fluid_size size = b->setup->size;
    for (int sweep = 0; sweep < 2; sweep++) {
        weir_buffer *const *from = sweep == 0 ? on->pressure : on->pressure_other;
        weir_buffer *const *to = sweep == 0 ? on->pressure_other : on->pressure;
        for (int32_t c = 0; c < 2; c++) {
            weir_task jacobi = weir_add_kernel(body, &fluid_jacobi, fluid_half_shape(size),
                WEIR_ARGS(WEIR_WRITE(to[c]), WEIR_READ(from[c]), WEIR_READ(from[1 - c]), WEIR_READ(on->divergence[c]),
                    WEIR_READ(on->open[c]), WEIR_VALUE(size), WEIR_VALUE(c), WEIR_VALUE(DAMPING)));
            weir_task_set(body, jacobi, &(weir_task_options){.name = names[c]});
        }
    }
}

/* A fixed number of sweeps. */
static void add_sweeps(builder *b)
{
    weir_graph *body = NULL;
    b->status = weir_graph_create("sweep", 0, &body);
    if (b->status != WEIR_OK)
        return;
    if (b->setup->jacobi)
        add_two_jacobi_sweeps(b, body);
    else
        add_sweep(b, body, OVER_RELAXATION);
    uint32_t rounds = b->setup->jacobi ? (b->setup->sweeps + 1) / 2 : b->setup->sweeps;
    describe(b, b->out->frame, weir_add_repeat(b->out->frame, "sweep", body, rounds), NULL, 0.45);
    weir_graph_destroy(body);
}

/* Young's best, 2 / (1 + pi / (1.4 longest)), is best for the longest wave in the box. But that is there already, from the frame before, and
 * what a frame adds is shorter: from 160 to 640 cells fewest sweeps are needed with this. */
float fluid_over_relaxation(fluid_size size)
{
    float longest = (float)(size.nx > size.ny ? size.nx : size.ny);
    return longest > 10.0f ? 2.0f / (1.0f + 10.0f / longest) : 1.0f;
}

/* Rounding's means are taken off, so that the equation has a solution and the pressure stays where it is. */
static void add_centre(builder *b)
{
    weir_graph *graph = b->out->frame;
    const fields *on = &b->on;
    fluid_size size = b->setup->size;
    weir_shape shape = fluid_half_shape(size);
    int32_t entries = fluid_blocks(shape);
    weir_task sum = weir_add_kernel(graph, &fluid_sum, shape,
        WEIR_ARGS(WEIR_WRITE(on->sums), WEIR_READ(on->divergence[0]), WEIR_READ(on->divergence[1]), WEIR_READ(on->pressure[0]),
            WEIR_READ(on->pressure[1]), WEIR_READ(on->open[0]), WEIR_READ(on->open[1]), WEIR_VALUE(size)));
    weir_task mean = weir_add_kernel(graph, &fluid_mean, fluid_fold_shape(),
        WEIR_ARGS(WEIR_WRITE(on->means), WEIR_READ(on->sums), WEIR_VALUE(entries)));
    weir_task centre = weir_add_kernel(graph, &fluid_centre, shape,
        WEIR_ARGS(WEIR_READ_WRITE(on->divergence[0]), WEIR_READ_WRITE(on->divergence[1]), WEIR_READ_WRITE(on->pressure[0]),
            WEIR_READ_WRITE(on->pressure[1]), WEIR_READ(on->open[0]), WEIR_READ(on->open[1]), WEIR_READ(on->means), WEIR_VALUE(size)));
    describe(b, graph, sum, NULL, 2.0);
    describe(b, graph, mean, NULL, 0.01);
    describe(b, graph, centre, NULL, 0.5);
}

/* What is still missing, and whether that is too much: before the first sweep, and after each few, where it decides about another round. */
static void add_test(builder *b, weir_graph *graph, bool decides)
{
    const fields *on = &b->on;
    fluid_size size = b->setup->size;
    weir_shape shape = fluid_half_shape(size);
    int32_t entries = fluid_blocks(shape);
    float tolerance = b->setup->residual;
    weir_task residual = weir_add_kernel(graph, &fluid_residual, shape,
        WEIR_ARGS(WEIR_WRITE(on->residuals), WEIR_READ(on->pressure[0]), WEIR_READ(on->pressure[1]), WEIR_READ(on->divergence[0]),
            WEIR_READ(on->divergence[1]), WEIR_READ(on->open[0]), WEIR_READ(on->open[1]), WEIR_VALUE(size)));
    const weir_arg judged[] = {WEIR_WRITE(on->residual), WEIR_WRITE(on->too_much), WEIR_READ(on->residuals), WEIR_VALUE(entries),
        WEIR_VALUE(tolerance), WEIR_DECISION};
    const size_t all = sizeof judged / sizeof *judged;
    weir_task judge = weir_add_kernel(graph, decides ? &fluid_judge_round : &fluid_judge, fluid_fold_shape(),
        (weir_args){judged, decides ? all : all - 1});
    describe(b, graph, residual, NULL, 1.0);
    describe(b, graph, judge, NULL, 0.01);
}

/* Sweeps on the device, a few at a time, as long as the residual is too much. How many that takes the host learns afterwards. */
static void add_loop(builder *b)
{
    weir_graph *body = NULL;
    const uint32_t a_test = b->setup->sweeps_a_test > 0 ? b->setup->sweeps_a_test : 1;
    add_centre(b);
    add_test(b, b->out->frame, false);
    b->status = weir_graph_create("test", 0, &body);
    if (b->status != WEIR_OK)
        return;
    for (uint32_t sweep = 0; sweep < a_test; sweep++)
        add_sweep(b, body, fluid_over_relaxation(b->setup->size));
    add_test(b, body, true);
    b->out->loop = weir_add_while(b->out->frame, "sweep", body, b->on.too_much, (b->setup->sweeps + a_test - 1) / a_test);
    describe(b, b->out->frame, b->out->loop, NULL, 10.0 * (0.9 * a_test + 1.0)); /* ten rounds, more or less */
    weir_task left = weir_add_copy(b->out->frame, "download residual", WEIR_WRITE(b->out->residual), WEIR_READ(b->on.residual));
    describe(b, b->out->frame, left, NULL, 0.01);
    weir_graph_destroy(body);
}

/* The pressure starts from the previous frame's: most of it is still there. */
static void add_solve(builder *b)
{
    weir_graph *graph = b->out->frame;
    const fields *on = &b->on;
    fluid_size size = b->setup->size;
    begin_group(b, FLUID_SOLVE);
    weir_task divergence = weir_add_kernel(graph, &fluid_divergence, fluid_half_shape(size),
        WEIR_ARGS(WEIR_WRITE(on->divergence[0]), WEIR_WRITE(on->divergence[1]), WEIR_READ(on->u), WEIR_READ(on->v),
            WEIR_READ(on->open[0]), WEIR_READ(on->open[1]), WEIR_VALUE(size)));
    describe(b, graph, divergence, NULL, 1.0);
    if (b->status == WEIR_OK && b->setup->residual > 0.0f)
        add_loop(b);
    else if (b->status == WEIR_OK)
        add_sweeps(b);
}

static void add_project(builder *b)
{
    weir_graph *graph = b->out->frame;
    const fields *on = &b->on;
    fluid_size size = b->setup->size;
    weir_shape shape = fluid_half_shape(size);
    begin_group(b, FLUID_PROJECT);
    weir_task u = weir_add_kernel(graph, &fluid_project_u, shape,
        WEIR_ARGS(WEIR_READ_WRITE(on->u), WEIR_READ(on->pressure[0]), WEIR_READ(on->pressure[1]), WEIR_READ(on->solid), WEIR_VALUE(size)));
    weir_task v = weir_add_kernel(graph, &fluid_project_v, shape,
        WEIR_ARGS(WEIR_READ_WRITE(on->v), WEIR_READ(on->pressure[0]), WEIR_READ(on->pressure[1]), WEIR_READ(on->solid), WEIR_VALUE(size)));
    describe(b, graph, u, NULL, 1.0);
    describe(b, graph, v, NULL, 1.0);
}

/* The picture becomes the dye that is there and the dye that is fed; the walls become what kernels want to know of them. */
static void add_start(builder *b)
{
    static const char *const picture_names[3] = {"upload red", "upload green", "upload blue"};
    weir_graph *graph = b->out->start, *body = NULL;
    const fields *on = &b->on;
    fluid_size size = b->setup->size;
    uint32_t nx = (uint32_t)size.nx, ny = (uint32_t)size.ny;
    for (uint32_t c = 0; c < 3; c++) {
        weir_arg plane = weir_part(WEIR_READ(b->out->picture), (weir_box){.z = c, .nx = nx, .ny = ny, .nz = 1});
        weir_add_copy(graph, picture_names[c], WEIR_WRITE(on->picture[c]), plane);
        weir_add_copy(graph, channel_names[c], WEIR_WRITE(on->dye[c]), WEIR_READ(on->picture[c]));
    }
    weir_add_copy(graph, "upload walls", WEIR_WRITE(on->solid), WEIR_READ(b->out->walls));
    weir_add_fill(graph, "clear", WEIR_WRITE(on->clearance[0]), &(uint8_t){0}, 1);
    if (b->status == WEIR_OK)
        b->status = weir_graph_create("grow", 0, &body);
    for (int round = 0; round < 2 && b->status == WEIR_OK; round++)
        weir_add_kernel(body, &fluid_clearance, fluid_shape(size),
            WEIR_ARGS(WEIR_WRITE(on->clearance[1 - round]), WEIR_READ(on->clearance[round]), WEIR_READ(on->solid), WEIR_VALUE(size)));
    if (b->status == WEIR_OK)
        weir_add_repeat(graph, "grow", body, FLUID_CLEARANCE_MAX / 2);
    weir_graph_destroy(body);
    weir_add_kernel(graph, &fluid_openings, fluid_half_shape(size),
        WEIR_ARGS(WEIR_WRITE(on->open[0]), WEIR_WRITE(on->open[1]), WEIR_READ(on->solid), WEIR_VALUE(size)));
}

weir_status fluid_graph_create(const fluid_setup *setup, fluid_graph *out)
{
    fluid_graph made = {0};
    builder b = {.setup = setup, .out = &made};
    make_buffers(&b);
    if (b.status == WEIR_OK)
        b.status = weir_graph_create("fluid start", 0, &made.start);
    if (b.status == WEIR_OK)
        b.status = weir_graph_create("fluid", 0, &made.frame);
    if (b.status == WEIR_OK) {
        add_start(&b);
        add_upload(&b);
        add_advect(&b);
        add_colour(&b);
        add_render(&b);
        add_forces(&b);
        add_solve(&b);
        add_project(&b);
        made.first[FLUID_GROUPS] = weir_graph_task_count(made.frame) + 1;
    }
    if (b.status == WEIR_OK)
        b.status = weir_graph_status(made.start);
    if (b.status == WEIR_OK)
        b.status = weir_graph_status(made.frame);
    if (b.status != WEIR_OK) {
        fluid_graph_destroy(&made);
        return b.status;
    }
    *out = made;
    return WEIR_OK;
}

void fluid_graph_destroy(fluid_graph *graph)
{
    weir_graph_destroy(graph->start);
    weir_graph_destroy(graph->frame);
    for (uint32_t i = 0; i < graph->count; i++)
        weir_buffer_destroy(graph->all[i]);
    weir_param_destroy(graph->number);
    memset(graph, 0, sizeof *graph);
}
