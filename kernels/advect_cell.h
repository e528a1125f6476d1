/* advect_cell.h - where the air of one place came from, and what it brings along. */
#ifndef WEIR_KERNELS_ADVECT_CELL_H
#define WEIR_KERNELS_ADVECT_CELL_H

#include "grid.h"

typedef struct {
    float x, y;
} advect_point;

WEIR_HD advect_point advect_inside(fluid_size size, float x, float y)
{
    advect_point p = {fluid_clamp(x, 0.0f, (float)size.nx), fluid_clamp(y, 0.0f, (float)size.ny)};
    return p;
}

/* The cell that holds a point of the box. */
WEIR_HD int32_t advect_column(fluid_size size, float x)
{
    int32_t i = (int32_t)x;
    return i < size.nx ? i : size.nx - 1;
}

WEIR_HD int32_t advect_row(fluid_size size, float y)
{
    int32_t j = (int32_t)y;
    return j < size.ny ? j : size.ny - 1;
}

/* Bilinear between the four nearest u: they lie at (i, j + 1/2). Zero at x = nx, constant beyond the outer half rows. */
WEIR_HD float advect_u_at(const float *u, fluid_size size, float x, float y)
{
    float below = fluid_clamp(y - 0.5f, 0.0f, (float)(size.ny - 1));
    int32_t i = advect_column(size, x), j = (int32_t)below;
    float tx = x - (float)i, ty = below - (float)j;
    const float *here = u + fluid_index(size, i, j);
    const float *next = j + 1 < size.ny ? here + size.nx : here;
    float right = 0.0f, right_next = 0.0f;
    if (i + 1 < size.nx) {
        right = here[1];
        right_next = next[1];
    }
    return fluid_mix(fluid_mix(here[0], right, tx), fluid_mix(next[0], right_next, tx), ty);
}

/* The same for v, at (i + 1/2, j). */
WEIR_HD float advect_v_at(const float *v, fluid_size size, float x, float y)
{
    float across = fluid_clamp(x - 0.5f, 0.0f, (float)(size.nx - 1));
    int32_t i = (int32_t)across, j = advect_row(size, y);
    float tx = across - (float)i, ty = y - (float)j;
    const float *here = v + fluid_index(size, i, j);
    int32_t right = i + 1 < size.nx ? 1 : 0;
    float next = 0.0f, next_right = 0.0f;
    if (j + 1 < size.ny) {
        next = here[size.nx];
        next_right = here[size.nx + right];
    }
    return fluid_mix(fluid_mix(here[0], here[right], tx), fluid_mix(next, next_right, tx), ty);
}

/* Follows the straight way from `start` towards `end` in steps of at most half a cell and stops before the first wall. Going
 * from a cell to its diagonal neighbour needs one of the two cells beside that way to be free. */
WEIR_HD advect_point advect_walk(const uint8_t *solid, fluid_size size, advect_point start, advect_point end)
{
    float dx = end.x - start.x, dy = end.y - start.y;
    float longest = fluid_abs(dx) > fluid_abs(dy) ? fluid_abs(dx) : fluid_abs(dy);
    int32_t steps = 1 + (int32_t)(2.0f * longest);
    int32_t i = advect_column(size, start.x), j = advect_row(size, start.y);
    advect_point reached = start;
    for (int32_t n = 1; n <= steps; n++) {
        float part = (float)n / (float)steps;
        advect_point next = advect_inside(size, start.x + part * dx, start.y + part * dy);
        int32_t ni = advect_column(size, next.x), nj = advect_row(size, next.y);
        if (solid[fluid_index(size, ni, nj)])
            return reached;
        if (ni != i && nj != j && solid[fluid_index(size, ni, j)] && solid[fluid_index(size, i, nj)])
            return reached;
        reached = next;
        i = ni;
        j = nj;
    }
    return reached;
}

/* Where the air at `start` was one step ago. (vx, vy) is its velocity now; the midpoint's velocity carries it all the way. */
WEIR_HD advect_point advect_back(const float *u, const float *v, const uint8_t *solid, const uint8_t *clearance, fluid_size size,
    float step, advect_point start, float vx, float vy)
{
    float half = 0.5f * step;
    advect_point middle = advect_inside(size, start.x - half * vx, start.y - half * vy);
    vx = advect_u_at(u, size, middle.x, middle.y);
    vy = advect_v_at(v, size, middle.x, middle.y);
    advect_point end = advect_inside(size, start.x - step * vx, start.y - step * vy);
    float far_x = fluid_abs(end.x - start.x), far_y = fluid_abs(end.y - start.y);
    float clear = (float)clearance[fluid_index(size, advect_column(size, start.x), advect_row(size, start.y))] - 2.0f;
    if (far_x < clear && far_y < clear) /* the way, and the cells around its end, are free */
        return end;
    return advect_walk(solid, size, start, end);
}

WEIR_HD float advect_u(const float *u, const float *v, const uint8_t *solid, const uint8_t *clearance, fluid_size size, float step,
    int32_t x, int32_t y)
{
    if (!fluid_open_left(solid, size, x, y))
        return 0.0f;
    int32_t here = fluid_index(size, x, y);
    float above = v[here - 1] + v[here];
    float below = y + 1 < size.ny ? v[here + size.nx - 1] + v[here + size.nx] : 0.0f;
    advect_point start = {(float)x, (float)y + 0.5f};
    advect_point from = advect_back(u, v, solid, clearance, size, step, start, u[here], 0.25f * (above + below));
    return advect_u_at(u, size, from.x, from.y);
}

WEIR_HD float advect_v(const float *u, const float *v, const uint8_t *solid, const uint8_t *clearance, fluid_size size, float step,
    int32_t x, int32_t y)
{
    if (!fluid_open_up(solid, size, x, y))
        return 0.0f;
    int32_t here = fluid_index(size, x, y);
    float left = u[here - size.nx] + u[here];
    float right = x + 1 < size.nx ? u[here - size.nx + 1] + u[here + 1] : 0.0f;
    advect_point start = {(float)x + 0.5f, (float)y};
    advect_point from = advect_back(u, v, solid, clearance, size, step, start, 0.25f * (left + right), v[here]);
    return advect_v_at(v, size, from.x, from.y);
}

/* For cell centres. A wall stays where it is. */
WEIR_HD advect_point advect_trace(const float *u, const float *v, const uint8_t *solid, const uint8_t *clearance, fluid_size size,
    float step, int32_t x, int32_t y)
{
    int32_t here = fluid_index(size, x, y);
    advect_point start = {(float)x + 0.5f, (float)y + 0.5f};
    if (solid[here])
        return start;
    float right = x + 1 < size.nx ? u[here + 1] : 0.0f;
    float down = y + 1 < size.ny ? v[here + size.nx] : 0.0f;
    return advect_back(u, v, solid, clearance, size, step, start, 0.5f * (u[here] + right), 0.5f * (v[here] + down));
}

/* Bilinear between the cell that holds the point and the three nearest to that. Beside walls, cells that this one does not
 * touch through open sides count as it does: dye neither darkens at a wall nor leaks through one. */
WEIR_HD float advect_dye(const float *dye, const uint8_t *solid, const uint8_t *clearance, fluid_size size, advect_point from)
{
    int32_t i = advect_column(size, from.x), j = advect_row(size, from.y);
    float dx = from.x - ((float)i + 0.5f), dy = from.y - ((float)j + 0.5f);
    int32_t side = dx < 0.0f ? (i > 0 ? -1 : 0) : (i + 1 < size.nx ? 1 : 0);
    int32_t beyond = dy < 0.0f ? (j > 0 ? -size.nx : 0) : (j + 1 < size.ny ? size.nx : 0);
    int32_t here = fluid_index(size, i, j);
    float own = dye[here], across = dye[here + side], along = dye[here + beyond], corner = dye[here + side + beyond];
    if (clearance[here] < 2) {
        int wall_across = solid[here + side], wall_along = solid[here + beyond];
        across = wall_across ? own : across;
        along = wall_along ? own : along;
        corner = solid[here + side + beyond] || (wall_across && wall_along) ? own : corner;
    }
    float value = fluid_mix(fluid_mix(own, across, fluid_abs(dx)), fluid_mix(along, corner, fluid_abs(dx)), fluid_abs(dy));
    return fluid_clamp(value, 0.0f, 1.0f);
}

#endif
