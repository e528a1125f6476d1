/* moves_test.c - copies and fills of random boxes, three-dimensional, with elements of 1 to 16 bytes, rows and slices of any length, memory that begins
 * anywhere, between all places: each byte is what a plain loop leaves, those around the box included. The first seed is WEIR_TEST_SEED, or 1;
 * how many are WEIR_TEST_MOVES, or 400. */
#include "cuda_fixture.h"
#include "util/random.h"

enum { NX_MOST = 12, NY_MOST = 5, NZ_MOST = 4, PAD_MOST = 9, BYTES_MOST = 16384 };

typedef struct {
    weir_buffer_desc desc;
    size_t row, slice, bytes;
    unsigned char before[BYTES_MOST], expected[BYTES_MOST], got[BYTES_MOST];
    void *adopted;
} region;

typedef struct {
    region to, from;
    weir_box copied_to, copied_from, filled;
    uint32_t pattern;
    size_t pattern_bytes;
} move;

static move m;
static uint64_t state;

static uint32_t below(uint32_t bound)
{
    return weir_random_below(&state, bound);
}

/* ---- making ---- */

static void make_region(region *r, const char *name, size_t element, weir_place place, char *unaligned)
{
    r->desc = (weir_buffer_desc){.name = name, .element_bytes = element, .nx = 1 + below(NX_MOST), .ny = 1 + below(NY_MOST), .nz = 1 + below(NZ_MOST), .place = place};
    r->row = r->desc.nx * element + (below(2) ? below(PAD_MOST) : 0);
    r->slice = r->row * r->desc.ny + (below(2) ? below(PAD_MOST) : 0);
    r->desc.row_bytes = r->row;
    r->desc.slice_bytes = r->slice;
    r->bytes = r->slice * r->desc.nz;
    ck_assert_uint_le(r->bytes, BYTES_MOST);
    if (place == WEIR_HOST_OUT && below(4) == 0) {
        r->adopted = unaligned + 1 + below(8);
        r->desc.adopted = &r->adopted;
    }
    for (size_t i = 0; i < r->bytes; i++)
        r->before[i] = (unsigned char)below(256);
    memcpy(r->expected, r->before, r->bytes);
}

static uint32_t less(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* A box of these extents somewhere in the region. */
static weir_box placed(const region *r, uint32_t nx, uint32_t ny, uint32_t nz)
{
    return (weir_box){below(r->desc.nx - nx + 1), below(r->desc.ny - ny + 1), below(r->desc.nz - nz + 1), nx, ny, nz};
}

static void make_move(uint64_t seed, char *unaligned)
{
    static const size_t elements[] = {1, 2, 3, 4, 6, 8, 16};
    static const weir_place sources[] = {WEIR_DEVICE, WEIR_HOST_OUT, WEIR_HOST_IN}, targets[] = {WEIR_DEVICE, WEIR_HOST_OUT};
    state = seed;
    memset(&m, 0, sizeof m);
    size_t element = elements[below(7)];
    make_region(&m.to, "to", element, targets[below(2)], unaligned);
    make_region(&m.from, "from", element, sources[below(3)], unaligned + 2 * (size_t)BYTES_MOST);
    const weir_buffer_desc *t = &m.to.desc, *f = &m.from.desc;
    uint32_t nx = 1 + below(less(t->nx, f->nx)), ny = 1 + below(less(t->ny, f->ny)), nz = 1 + below(less(t->nz, f->nz));
    m.copied_to = placed(&m.to, nx, ny, nz);
    m.copied_from = placed(&m.from, nx, ny, nz);
    m.filled = placed(&m.to, 1 + below(t->nx), 1 + below(t->ny), 1 + below(t->nz));
    m.pattern = below(4) ? below(UINT32_MAX) : below(256) * 0x1010101u;
    m.pattern_bytes = 4;
    while (m.filled.nx * element % m.pattern_bytes != 0)
        m.pattern_bytes /= 2;
    if (below(3) == 0)
        m.pattern_bytes = m.pattern_bytes > 1 ? m.pattern_bytes / 2 : 1;
}

/* ---- the plain loop ---- */

static size_t row_at(const region *r, const weir_box *box, uint32_t y, uint32_t z)
{
    return (box->z + z) * r->slice + (box->y + y) * r->row + box->x * r->desc.element_bytes;
}

static void expect_copy(void)
{
    for (uint32_t z = 0; z < m.copied_to.nz; z++)
        for (uint32_t y = 0; y < m.copied_to.ny; y++)
            memcpy(m.to.expected + row_at(&m.to, &m.copied_to, y, z), m.from.before + row_at(&m.from, &m.copied_from, y, z), m.copied_to.nx * m.to.desc.element_bytes);
}

static void expect_fill(void)
{
    unsigned char pattern[4];
    memcpy(pattern, &m.pattern, sizeof pattern);
    for (uint32_t z = 0; z < m.filled.nz; z++)
        for (uint32_t y = 0; y < m.filled.ny; y++)
            for (size_t i = 0; i < m.filled.nx * m.to.desc.element_bytes; i++)
                m.to.expected[row_at(&m.to, &m.filled, y, z) + i] = pattern[i % m.pattern_bytes];
}

/* ---- running ---- */

static void same(const region *r, const char *mode, uint64_t seed)
{
    for (size_t i = 0; i < r->bytes; i++)
        ck_assert_msg(r->got[i] == r->expected[i], "seed %llu, %s: byte %zu of '%s' is %u, not %u", (unsigned long long)seed, mode, i, r->desc.name, r->got[i], r->expected[i]);
}

static void run(weir_runtime *runtime, const char *mode, bool fill_first, uint64_t seed)
{
    weir_graph *graph = graph_make("moves");
    weir_buffer *to = buffer_of(m.to.desc), *from = buffer_of(m.from.desc);
    for (int i = 0; i < 2; i++)
        if ((i == 0) == fill_first)
            weir_add_fill(graph, "fill", weir_part(WEIR_WRITE(to), m.filled), &m.pattern, m.pattern_bytes);
        else
            weir_add_copy(graph, "copy", weir_part(WEIR_WRITE(to), m.copied_to), weir_part(WEIR_READ(from), m.copied_from));
    ck_assert_msg(weir_graph_status(graph) == WEIR_OK, "seed %llu: %s", (unsigned long long)seed, weir_last_error());
    weir_exec *exec = exec_with(runtime, graph, NULL, &(weir_exec_options){.mode = mode});
    OK(weir_buffer_write(runtime, to, m.to.before, 0, m.to.bytes));
    OK(weir_buffer_write(runtime, from, m.from.before, 0, m.from.bytes));
    run_frames(exec, 2);
    OK(weir_buffer_read(runtime, to, m.to.got, 0, m.to.bytes));
    OK(weir_buffer_read(runtime, from, m.from.got, 0, m.from.bytes));
    same(&m.to, mode, seed);
    same(&m.from, mode, seed);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(to);
    weir_buffer_destroy(from);
}

START_TEST(copies_and_fills_leave_what_a_plain_loop_leaves)
{
    no_environment();
    uint64_t first = number_from_environment("WEIR_TEST_SEED", 1), count = number_from_environment("WEIR_TEST_MOVES", 400);
    weir_runtime *runtime = cuda_runtime();
    char *unaligned = malloc(4 * (size_t)BYTES_MOST);
    for (uint64_t seed = first; seed < first + count; seed++) {
        make_move(seed, unaligned);
        bool fill_first = seed % 2;
        if (fill_first)
            expect_fill();
        expect_copy();
        if (!fill_first)
            expect_fill();
        for (int mode = 0; mode < CUDA_MODES; mode++)
            run(runtime, cuda_modes[mode], fill_first, seed);
    }
    printf("%llu moves from seed %llu on\n", (unsigned long long)count, (unsigned long long)first);
    weir_runtime_destroy(runtime);
    free(unaligned);
}
END_TEST

int main(void)
{
    skip_without_device();
    Suite *suite = suite_create("backend/cuda/moves");
    TCase *cases = tcase_create("moves");
    tcase_add_test(cases, copies_and_fills_leave_what_a_plain_loop_leaves);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
