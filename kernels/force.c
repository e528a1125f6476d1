/* force.c - what changes the air and its dye between advection and pressure. Launched with fluid_shape, one thread a cell.
 *
 * fluid_vorticity: curl of the velocity at the corners of cells, w = dv/dx - du/dy; 0 on the outer walls.
 * fluid_push_u, fluid_push_v: the velocity keeps a share of itself and gains
 *     vorticity confinement (Steinhoff and Underhill 1994; Fedkiw, Stam and Jensen, "Visual Simulation of Smoke", 2001):
 *         strength * (N_y w, -N_x w) with N = grad |w| / |grad |w||, which spins eddies where the coarse grid would lose them,
 *     buoyancy: bright dye rises,
 *     and the sources' pushes. Closed sides get 0.
 * fluid_pour: one channel of the dye is pulled towards the picture, and near sources towards their colour. Both are mixes of
 *     values in [0, 1], so it stays there. */
#include "force_cell.h"
#include "blocks.h"
#include "table.h"

static void fluid_vorticity_host(const weir_blocks *blocks, void *const *args)
{
    float *restrict out = WEIR_PASSED(float *, args, 0);
    const float *restrict u = WEIR_PASSED(const float *, args, 1);
    const float *restrict v = WEIR_PASSED(const float *, args, 2);
    fluid_size size = WEIR_PASSED(fluid_size, args, 3);
    for (block_walk walk = block_walk_start(blocks, size.nx, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++) {
            int32_t row = fluid_index(size, 0, y);
            if (y == 0 || walk.x0 == 0)
                out[row + walk.x0] = 0.0f;
            for (int32_t i = row + (walk.x0 > 0 ? walk.x0 : 1); i < row + walk.x1; i++)
                out[i] = y > 0 ? force_vorticity(u, v, i, size.nx) : 0.0f;
        }
}

/* Whether a source may reach the row through `y`, and if so from which cell to which. Generous: force_reach decides. */
static bool reached_cells(const fluid_source *source, float y, const block_walk *walk, int32_t *first, int32_t *end)
{
    if (!(fluid_abs(y - source->y) < source->radius))
        return false;
    *first = (int32_t)fluid_clamp(source->x - source->radius - 1.0f, (float)walk->x0, (float)walk->x1);
    *end = (int32_t)fluid_clamp(source->x + source->radius + 2.0f, (float)walk->x0, (float)walk->x1);
    return true;
}

/* The cells of a row that have both neighbours, and those at its ends: split, so that the loop over most of them vectorises. */
static int32_t inner_first(const block_walk *walk)
{
    return walk->x0 > 0 ? walk->x0 : 1;
}

static int32_t inner_end(const block_walk *walk)
{
    return walk->x1 < walk->nx ? walk->x1 : walk->nx - 1;
}

static inline void confine_u_cells(float *restrict u, const float *restrict vorticity, fluid_around to, fluid_motion motion, int32_t first,
    int32_t end)
{
    for (int32_t i = first; i < end; i++)
        u[i] = force_u(u[i], vorticity + i, to, motion);
}

static void confine_u_row(float *u, const float *vorticity, fluid_size size, fluid_motion motion, const block_walk *walk, int32_t y)
{
    if (walk->x0 == 0)
        confine_u_cells(u, vorticity, fluid_neighbours(size, 0, y), motion, 0, 1);
    confine_u_cells(u, vorticity, fluid_neighbours(size, 1, y), motion, inner_first(walk), inner_end(walk));
    if (walk->x1 == size.nx && size.nx > 1)
        confine_u_cells(u, vorticity, fluid_neighbours(size, size.nx - 1, y), motion, size.nx - 1, size.nx);
}

static void fluid_push_u_host(const weir_blocks *blocks, void *const *args)
{
    float *u = WEIR_PASSED(float *, args, 0);
    const float *vorticity = WEIR_PASSED(const float *, args, 1);
    const uint8_t *solid = WEIR_PASSED(const uint8_t *, args, 2);
    const fluid_source *sources = WEIR_PASSED(const fluid_source *, args, 3);
    fluid_size size = WEIR_PASSED(fluid_size, args, 4);
    fluid_motion motion = WEIR_PASSED(fluid_motion, args, 5);
    for (block_walk walk = block_walk_start(blocks, size.nx, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++) {
            int32_t row = fluid_index(size, 0, y), first, end;
            confine_u_row(u + row, vorticity + row, size, motion, &walk, y);
            for (int32_t s = 0; s < motion.sources; s++)
                if (reached_cells(&sources[s], (float)y + 0.5f, &walk, &first, &end))
                    for (int32_t x = first; x < end; x++)
                        u[row + x] = force_push_u(u[row + x], sources[s], x, y, motion);
            if (walk.x0 == 0)
                u[row] = 0.0f;
            for (int32_t i = row + inner_first(&walk); i < row + walk.x1; i++)
                u[i] = fluid_open_between(solid, i, i - 1) ? u[i] : 0.0f;
        }
}

typedef struct {
    const float *red, *green, *blue;
} dye_row;

static inline void confine_v_cells(float *restrict v, const float *restrict vorticity, dye_row dye, int32_t nx, fluid_around to,
    fluid_motion motion, int32_t first, int32_t end)
{
    for (int32_t i = first; i < end; i++) {
        float above = force_brightness(dye.red[i - nx], dye.green[i - nx], dye.blue[i - nx]);
        float below = force_brightness(dye.red[i], dye.green[i], dye.blue[i]);
        v[i] = force_v(v[i], vorticity + i, to, 0.5f * (above + below), motion);
    }
}

static void confine_v_row(float *v, const float *vorticity, dye_row dye, fluid_size size, fluid_motion motion, const block_walk *walk,
    int32_t y)
{
    if (walk->x0 == 0)
        confine_v_cells(v, vorticity, dye, size.nx, fluid_neighbours(size, 0, y), motion, 0, 1);
    confine_v_cells(v, vorticity, dye, size.nx, fluid_neighbours(size, 1, y), motion, inner_first(walk), inner_end(walk));
    if (walk->x1 == size.nx && size.nx > 1)
        confine_v_cells(v, vorticity, dye, size.nx, fluid_neighbours(size, size.nx - 1, y), motion, size.nx - 1, size.nx);
}

static void fluid_push_v_host(const weir_blocks *blocks, void *const *args)
{
    float *v = WEIR_PASSED(float *, args, 0);
    const float *vorticity = WEIR_PASSED(const float *, args, 1);
    dye_row dye = {WEIR_PASSED(const float *, args, 2), WEIR_PASSED(const float *, args, 3), WEIR_PASSED(const float *, args, 4)};
    const uint8_t *solid = WEIR_PASSED(const uint8_t *, args, 5);
    const fluid_source *sources = WEIR_PASSED(const fluid_source *, args, 6);
    fluid_size size = WEIR_PASSED(fluid_size, args, 7);
    fluid_motion motion = WEIR_PASSED(fluid_motion, args, 8);
    for (block_walk walk = block_walk_start(blocks, size.nx, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++) {
            int32_t row = fluid_index(size, 0, y), first, end;
            if (y == 0) { /* the outer wall */
                for (int32_t x = walk.x0; x < walk.x1; x++)
                    v[x] = 0.0f;
                continue;
            }
            dye_row here = {dye.red + row, dye.green + row, dye.blue + row};
            confine_v_row(v + row, vorticity + row, here, size, motion, &walk, y);
            for (int32_t s = 0; s < motion.sources; s++)
                if (reached_cells(&sources[s], (float)y, &walk, &first, &end))
                    for (int32_t x = first; x < end; x++)
                        v[row + x] = force_push_v(v[row + x], sources[s], x, y, motion);
            for (int32_t i = row + walk.x0; i < row + walk.x1; i++)
                v[i] = fluid_open_between(solid, i, i - size.nx) ? v[i] : 0.0f;
        }
}

static void fluid_pour_host(const weir_blocks *blocks, void *const *args)
{
    float *restrict dye = WEIR_PASSED(float *, args, 0);
    const float *restrict picture = WEIR_PASSED(const float *, args, 1);
    const uint8_t *solid = WEIR_PASSED(const uint8_t *, args, 2);
    const fluid_source *sources = WEIR_PASSED(const fluid_source *, args, 3);
    fluid_size size = WEIR_PASSED(fluid_size, args, 4);
    fluid_motion motion = WEIR_PASSED(fluid_motion, args, 5);
    int32_t channel = WEIR_PASSED(int32_t, args, 6);
    for (block_walk walk = block_walk_start(blocks, size.nx, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++) {
            int32_t row = fluid_index(size, 0, y), first, end;
            for (int32_t i = row + walk.x0; i < row + walk.x1; i++)
                dye[i] = solid[i] ? 0.0f : force_feed(dye[i], picture[i], motion);
            for (int32_t s = 0; s < motion.sources; s++)
                if (reached_cells(&sources[s], (float)y + 0.5f, &walk, &first, &end))
                    for (int32_t x = first; x < end; x++)
                        dye[row + x] = solid[row + x] ? 0.0f : force_pour(dye[row + x], sources[s], channel, x, y, motion);
        }
}

KERNEL_TABLE(fluid_vorticity, "vorticity", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(fluid_size));
KERNEL_TABLE(fluid_push_u, "push u", sizeof(float *), sizeof(float *), sizeof(uint8_t *), sizeof(fluid_source *), sizeof(fluid_size),
    sizeof(fluid_motion));
KERNEL_TABLE(fluid_push_v, "push v", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(float *), sizeof(float *),
    sizeof(uint8_t *), sizeof(fluid_source *), sizeof(fluid_size), sizeof(fluid_motion));
KERNEL_TABLE(fluid_pour, "pour", sizeof(float *), sizeof(float *), sizeof(uint8_t *), sizeof(fluid_source *), sizeof(fluid_size),
    sizeof(fluid_motion), sizeof(int32_t));
