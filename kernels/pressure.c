/* pressure.c - the projection that makes the velocity free of divergence. Chorin's splitting (1968) on the staggered grid of
 * Harlow and Welch (1965), where taking the gradient off is exactly inverse to the divergence: what remains is the residual of
 *
 *     sum over open sides (p_neighbour - p) = divergence,    closed sides carry no flow (Neumann).
 *
 * Layout: like the squares of a chessboard, a cell is red if x + y is even, else black. Each colour has an array of its own of
 * fluid_half(size) * ny entries: row y holds the cells x = 2 k + ((y + colour) & 1), k = 0, 1, ... All four neighbours of a cell
 * are of the other colour; above and below they have the same k, so every loop runs over contiguous memory, and a sweep
 * writes one array and reads the other. The entry past the end of an odd row has no open side and stays out of it.
 * Launched with fluid_half_shape.
 *
 * fluid_divergence: of the velocity through open sides, in halves.
 * fluid_relax: one colour's half of a sweep of red-black Gauss-Seidel, in place: p += omega (mean - divergence / sides - p).
 *     omega 1 is Gauss-Seidel; up to 2 it over-relaxes (Young 1954), which converges far faster.
 * fluid_jacobi: the same from old values only, into another array. omega <= 0.9: undamped, the chessboard pattern is an eigenvector
 *     to the eigenvalue -1 and never dies.
 * fluid_project_u, fluid_project_v: velocity -= gradient of the pressure; closed sides get 0. */
#include "pressure_cell.h"
#include "blocks.h"
#include "table.h"

/* One cell of the divergence, for any place; 0 past the end of an odd row. */
static float divergence_at(const float *u, const float *v, const uint8_t *open, fluid_size size, int32_t k, int32_t x, int32_t y)
{
    if (x >= size.nx)
        return 0.0f;
    int32_t here = fluid_index(size, x, y);
    float u1 = x + 1 < size.nx ? u[here + 1] : 0.0f, v1 = y + 1 < size.ny ? v[here + size.nx] : 0.0f;
    return pressure_divergence(open[k], u[here], u1, v[here], v1);
}

/* One colour of one row: out, open of the row; k from `first` to `end`. */
static void divergence_row(float *restrict out, const uint8_t *restrict open, const float *restrict u, const float *restrict v,
    fluid_size size, int32_t shift, int32_t y, int32_t first, int32_t end)
{
    int32_t inner = (size.nx - 1 - shift) / 2; /* 2 k + shift + 1 < nx */
    int32_t k = first, stop = inner < end ? inner : end;
    const float *u0 = u + fluid_index(size, shift, y), *v0 = v + fluid_index(size, shift, y);
    const float *v1 = y + 1 < size.ny ? v0 + size.nx : v0; /* the lower side of the last row is closed: any value does */
    for (; k < stop; k++)
        out[k] = pressure_divergence(open[k], u0[2 * k], u0[2 * k + 1], v0[2 * k], v1[2 * k]);
    for (; k < end; k++)
        out[k] = divergence_at(u, v, open, size, k, 2 * k + shift, y);
}

static void fluid_divergence_host(const weir_blocks *blocks, void *const *args)
{
    float *out[2] = {WEIR_PASSED(float *, args, 0), WEIR_PASSED(float *, args, 1)};
    const float *u = WEIR_PASSED(const float *, args, 2);
    const float *v = WEIR_PASSED(const float *, args, 3);
    const uint8_t *open[2] = {WEIR_PASSED(const uint8_t *, args, 4), WEIR_PASSED(const uint8_t *, args, 5)};
    fluid_size size = WEIR_PASSED(fluid_size, args, 6);
    int32_t pitch = fluid_half(size);
    for (block_walk walk = block_walk_start(blocks, pitch, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++)
            for (int32_t colour = 0; colour < 2; colour++)
                divergence_row(out[colour] + y * pitch, open[colour] + y * pitch, u, v, size, pressure_shift(y, colour), y, walk.x0,
                    walk.x1);
}

/* The arrays of one colour's sweep. */
typedef struct {
    float *own;             /* Gauss-Seidel: read and written; Jacobi: written */
    const float *before;    /* Jacobi: what `own` was; Gauss-Seidel: NULL */
    const float *other, *divergence;
    const uint8_t *open;
    int32_t pitch, ny, colour;
    float omega;
} relax_fields;

static inline void relax_cells(const relax_fields *f, int32_t row, fluid_around to, int32_t first, int32_t end)
{
    float *restrict own = f->own + row;
    const float *restrict divergence = f->divergence + row;
    const uint8_t *restrict open = f->open + row;
    const float *restrict left = f->other + row + to.left, *restrict right = f->other + row + to.right;
    const float *restrict up = f->other + row + to.up, *restrict down = f->other + row + to.down;
    const float omega = f->omega;
    if (f->before) {
        const float *restrict before = f->before + row;
        for (int32_t k = first; k < end; k++)
            own[k] = pressure_relax(open[k], before[k], left[k], right[k], up[k], down[k], divergence[k], omega);
    } else {
        for (int32_t k = first; k < end; k++)
            own[k] = pressure_relax(open[k], own[k], left[k], right[k], up[k], down[k], divergence[k], omega);
    }
}

/* Offsets lead into the other colour's array. A border's missing neighbours are behind closed sides: the cell's own place stands
 * for them. */
static void relax_row(const relax_fields *f, int32_t y, int32_t first, int32_t end)
{
    int32_t row = y * f->pitch, shift = pressure_shift(y, f->colour);
    fluid_around to = {shift - 1, shift, y > 0 ? -f->pitch : 0, y + 1 < f->ny ? f->pitch : 0};
    int32_t inner_first = first == 0 && shift == 0 ? 1 : first;
    int32_t inner_end = end == f->pitch && shift == 1 ? end - 1 : end;
    if (first < inner_first)
        relax_cells(f, row, (fluid_around){0, to.right, to.up, to.down}, first, inner_first);
    relax_cells(f, row, to, inner_first, inner_end);
    if (inner_end < end)
        relax_cells(f, row, (fluid_around){to.left, 0, to.up, to.down}, inner_end, end);
}

static void relax_blocks(const weir_blocks *blocks, const relax_fields *f)
{
    for (block_walk walk = block_walk_start(blocks, f->pitch, f->ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++)
            relax_row(f, y, walk.x0, walk.x1);
}

static void fluid_relax_host(const weir_blocks *blocks, void *const *args)
{
    fluid_size size = WEIR_PASSED(fluid_size, args, 4);
    relax_fields fields = {
        .own = WEIR_PASSED(float *, args, 0),
        .other = WEIR_PASSED(const float *, args, 1),
        .divergence = WEIR_PASSED(const float *, args, 2),
        .open = WEIR_PASSED(const uint8_t *, args, 3),
        .pitch = fluid_half(size),
        .ny = size.ny,
        .colour = WEIR_PASSED(int32_t, args, 5),
        .omega = WEIR_PASSED(float, args, 6),
    };
    relax_blocks(blocks, &fields);
}

static void fluid_jacobi_host(const weir_blocks *blocks, void *const *args)
{
    fluid_size size = WEIR_PASSED(fluid_size, args, 5);
    relax_fields fields = {
        .own = WEIR_PASSED(float *, args, 0),
        .before = WEIR_PASSED(const float *, args, 1),
        .other = WEIR_PASSED(const float *, args, 2),
        .divergence = WEIR_PASSED(const float *, args, 3),
        .open = WEIR_PASSED(const uint8_t *, args, 4),
        .pitch = fluid_half(size),
        .ny = size.ny,
        .colour = WEIR_PASSED(int32_t, args, 6),
        .omega = WEIR_PASSED(float, args, 7),
    };
    relax_blocks(blocks, &fields);
}

/* The pressure of one row: its cells with even and with odd x. */
typedef struct {
    const float *even, *odd;
} pressure_row;

static pressure_row row_of(const float *red, const float *black, int32_t pitch, int32_t y)
{
    const float *r = red + y * pitch, *b = black + y * pitch;
    return y & 1 ? (pressure_row){b, r} : (pressure_row){r, b};
}

static void project_u_row(float *restrict u, const uint8_t *restrict solid, pressure_row p, int32_t nx, int32_t first, int32_t end)
{
    int32_t k = first;
    if (k == 0) {
        u[0] = 0.0f;
        if (nx > 1)
            u[1] = pressure_project(fluid_open_between(solid, 1, 0), u[1], p.odd[0], p.even[0]);
        k++;
    }
    int32_t pairs = nx / 2 < end ? nx / 2 : end;
    for (; k < pairs; k++) {
        u[2 * k] = pressure_project(fluid_open_between(solid, 2 * k, 2 * k - 1), u[2 * k], p.even[k], p.odd[k - 1]);
        u[2 * k + 1] = pressure_project(fluid_open_between(solid, 2 * k + 1, 2 * k), u[2 * k + 1], p.odd[k], p.even[k]);
    }
    for (; k < end; k++) /* the last cell of an odd row */
        u[2 * k] = pressure_project(fluid_open_between(solid, 2 * k, 2 * k - 1), u[2 * k], p.even[k], p.odd[k - 1]);
}

static void fluid_project_u_host(const weir_blocks *blocks, void *const *args)
{
    float *u = WEIR_PASSED(float *, args, 0);
    const float *red = WEIR_PASSED(const float *, args, 1);
    const float *black = WEIR_PASSED(const float *, args, 2);
    const uint8_t *solid = WEIR_PASSED(const uint8_t *, args, 3);
    fluid_size size = WEIR_PASSED(fluid_size, args, 4);
    int32_t pitch = fluid_half(size);
    for (block_walk walk = block_walk_start(blocks, pitch, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++) {
            int32_t row = fluid_index(size, 0, y);
            project_u_row(u + row, solid + row, row_of(red, black, pitch, y), size.nx, walk.x0, walk.x1);
        }
}

/* `above` is the pressure of the row above, `solid` the row's own. */
static void project_v_row(float *restrict v, const uint8_t *restrict solid, pressure_row p, pressure_row above, int32_t nx, int32_t first,
    int32_t end)
{
    int32_t k = first, pairs = nx / 2 < end ? nx / 2 : end;
    for (; k < pairs; k++) {
        v[2 * k] = pressure_project(fluid_open_between(solid, 2 * k, 2 * k - nx), v[2 * k], p.even[k], above.even[k]);
        v[2 * k + 1] = pressure_project(fluid_open_between(solid, 2 * k + 1, 2 * k + 1 - nx), v[2 * k + 1], p.odd[k], above.odd[k]);
    }
    for (; k < end; k++)
        v[2 * k] = pressure_project(fluid_open_between(solid, 2 * k, 2 * k - nx), v[2 * k], p.even[k], above.even[k]);
}

static void fluid_project_v_host(const weir_blocks *blocks, void *const *args)
{
    float *v = WEIR_PASSED(float *, args, 0);
    const float *red = WEIR_PASSED(const float *, args, 1);
    const float *black = WEIR_PASSED(const float *, args, 2);
    const uint8_t *solid = WEIR_PASSED(const uint8_t *, args, 3);
    fluid_size size = WEIR_PASSED(fluid_size, args, 4);
    int32_t pitch = fluid_half(size);
    for (block_walk walk = block_walk_start(blocks, pitch, size.ny); block_walk_next(&walk);)
        for (int32_t y = walk.y0; y < walk.y1; y++) {
            int32_t row = fluid_index(size, 0, y);
            if (y == 0) /* the outer wall */
                for (int32_t x = 2 * walk.x0; x < 2 * walk.x1 && x < size.nx; x++)
                    v[x] = 0.0f;
            else
                project_v_row(v + row, solid + row, row_of(red, black, pitch, y), row_of(red, black, pitch, y - 1), size.nx, walk.x0,
                    walk.x1);
        }
}

KERNEL_TABLE(fluid_divergence, "divergence", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(float *), sizeof(uint8_t *),
    sizeof(uint8_t *), sizeof(fluid_size));
KERNEL_TABLE(fluid_relax, "relax", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(uint8_t *), sizeof(fluid_size),
    sizeof(int32_t), sizeof(float));
KERNEL_TABLE(fluid_jacobi, "jacobi", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(float *), sizeof(uint8_t *),
    sizeof(fluid_size), sizeof(int32_t), sizeof(float));
KERNEL_TABLE(fluid_project_u, "project u", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(uint8_t *), sizeof(fluid_size));
KERNEL_TABLE(fluid_project_v, "project v", sizeof(float *), sizeof(float *), sizeof(float *), sizeof(uint8_t *), sizeof(fluid_size));
