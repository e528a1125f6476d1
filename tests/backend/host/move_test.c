/* move_test.c - what move.c promises: boxes with pitches are copied and filled element by element as the slow truth does it, however
 * the work is cut into blocks, and not a byte beside them is touched. */
#include "backend/host/move.h"
#include "graph/graph.h"
#include "run/fixture.h"
#include "util/random.h"

enum { BYTES_MOST = 13 << 20 };

static unsigned char source[BYTES_MOST], before[BYTES_MOST], expected[BYTES_MOST], got[BYTES_MOST];

/* One random buffer, of elements of that size, that holds a box of extents n; the box is put somewhere in it. */
static weir_buffer_desc random_desc(const char *name, size_t element, const uint32_t n[3], bool tight, weir_box *box, uint64_t *random)
{
    weir_buffer_desc d = {.name = name, .element_bytes = element};
    uint32_t extent[3], at[3];
    for (int i = 0; i < 3; i++) {
        uint32_t slack = tight ? 0 : weir_random_below(random, 4);
        extent[i] = n[i] + slack;
        at[i] = weir_random_below(random, slack + 1);
    }
    d.nx = extent[0];
    d.ny = extent[1];
    d.nz = extent[2];
    if (!tight && weir_random_below(random, 2))
        d.row_bytes = d.nx * element + weir_random_below(random, 9);
    size_t row = d.row_bytes ? d.row_bytes : d.nx * element;
    if (!tight && weir_random_below(random, 2))
        d.slice_bytes = row * d.ny + weir_random_below(random, 30);
    *box = (weir_box){at[0], at[1], at[2], n[0], n[1], n[2]};
    return d;
}

static size_t offset_of(const weir_buffer *b, const weir_box *box, uint32_t x, uint32_t y, uint32_t z)
{
    return (box->z + z) * b->slice_bytes + (box->y + y) * b->row_bytes + (box->x + x) * b->element_bytes;
}

/* Does all blocks of the graph's only task, some at a time, in a random order. */
static void move_in_pieces(const weir_graph *graph, void *to, void *from, uint64_t *random)
{
    const weir_body *body = weir_graph_body(graph);
    const weir_task_record *task = &body->tasks.at[0];
    void *const args[2] = {&to, &from};
    uint64_t blocks = weir_host_move_blocks(body, task), chunk = 1 + weir_random_below(random, (uint32_t)blocks),
             chunks = (blocks + chunk - 1) / chunk;
    uint64_t first = weir_random_below(random, (uint32_t)chunks);
    for (uint64_t i = 0; i < chunks; i++) {
        uint64_t c = (first + i) % chunks, left = blocks - c * chunk;
        weir_host_move(body, task, args, c * chunk, left < chunk ? left : chunk);
    }
}

static void fill_randomly(unsigned char *bytes, size_t count, uint64_t *random)
{
    for (size_t i = 0; i < count; i += 8) {
        uint64_t eight = weir_random_next(random);
        memcpy(bytes + i, &eight, count - i < 8 ? count - i : 8);
    }
}

static void compare(size_t bytes, uint64_t seed)
{
    size_t i = 0;
    while (i < bytes && got[i] == expected[i])
        i++;
    ck_assert_msg(i == bytes, "seed %llu: byte %zu is %u, not %u (it was %u)", (unsigned long long)seed, i, got[i], expected[i], before[i]);
}

static void copy_one(uint64_t seed, uint32_t nx_most, uint32_t n_most)
{
    static const size_t elements[] = {1, 2, 4, 8, 3, 12};
    uint64_t random = seed;
    size_t element = elements[weir_random_below(&random, 6)];
    uint32_t n[3] = {1 + weir_random_below(&random, nx_most), 1 + weir_random_below(&random, n_most),
                     1 + weir_random_below(&random, n_most)};
    weir_box to_box, from_box;
    weir_buffer *to = buffer_of(random_desc("to", element, n, seed % 3 == 0, &to_box, &random));
    weir_buffer *from = buffer_of(random_desc("from", element, n, seed % 3 == 0 && seed % 2 == 0, &from_box, &random));
    size_t to_bytes = weir_buffer_copy_bytes(to), from_bytes = weir_buffer_copy_bytes(from);
    ck_assert(to_bytes <= BYTES_MOST && from_bytes <= BYTES_MOST);
    weir_graph *graph = graph_make("g");
    weir_add_copy(graph, "copy", weir_part(WEIR_WRITE(to), to_box), weir_part(WEIR_READ(from), from_box));
    OK(weir_graph_status(graph));
    fill_randomly(source, from_bytes, &random);
    fill_randomly(before, to_bytes, &random);
    memcpy(expected, before, to_bytes);
    memcpy(got, before, to_bytes);
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++)
                memcpy(expected + offset_of(to, &to_box, x, y, z), source + offset_of(from, &from_box, x, y, z), element);
    move_in_pieces(graph, got, source, &random);
    compare(to_bytes, seed);
    weir_graph_destroy(graph);
    weir_buffer_destroy(to);
    weir_buffer_destroy(from);
}

START_TEST(copies_are_what_an_element_at_a_time_gives)
{
    for (uint64_t seed = 1; seed <= 600; seed++)
        copy_one(seed, 20, 7);
}
END_TEST

START_TEST(rows_longer_than_a_block_are_cut_and_lose_nothing)
{
    for (uint64_t seed = 1; seed <= 20; seed++)
        copy_one(seed, 40000, 2);
}
END_TEST

static void fill_one(uint64_t seed, uint32_t nx_most, uint32_t n_most)
{
    static const size_t elements[] = {1, 2, 4, 6, 8, 12}, patterns[] = {1, 2, 4};
    uint64_t random = seed;
    size_t element = elements[weir_random_below(&random, 6)], pattern_bytes = patterns[weir_random_below(&random, 3)];
    uint32_t n[3] = {1 + weir_random_below(&random, nx_most), 1 + weir_random_below(&random, n_most),
                     1 + weir_random_below(&random, n_most)};
    weir_box box;
    weir_buffer *to = buffer_of(random_desc("to", element, n, seed % 3 == 0, &box, &random));
    size_t bytes = weir_buffer_copy_bytes(to);
    unsigned char pattern[4];
    fill_randomly(pattern, sizeof pattern, &random);
    weir_graph *graph = graph_make("g");
    weir_add_fill(graph, "fill", weir_part(WEIR_WRITE(to), box), pattern, pattern_bytes);
    if (n[0] * element % pattern_bytes == 0) {
        OK(weir_graph_status(graph));
        fill_randomly(before, bytes, &random);
        memcpy(expected, before, bytes);
        memcpy(got, before, bytes);
        for (uint32_t z = 0; z < n[2]; z++)
            for (uint32_t y = 0; y < n[1]; y++)
                for (size_t i = 0; i < n[0] * element; i++)
                    expected[offset_of(to, &box, 0, y, z) + i] = pattern[i % pattern_bytes];
        move_in_pieces(graph, got, NULL, &random);
        compare(bytes, seed);
    }
    weir_graph_destroy(graph);
    weir_buffer_destroy(to);
}

START_TEST(fills_are_what_a_byte_at_a_time_gives)
{
    for (uint64_t seed = 1; seed <= 1000; seed++)
        fill_one(seed, 20, 7);
    for (uint64_t seed = 1; seed <= 12; seed++)
        fill_one(seed, 100000, 1);
}
END_TEST

/* The same through the front door: several workers share what is cut. */
START_TEST(tasks_move_what_they_should_on_several_workers)
{
    enum { NX = 700, NY = 300 };
    weir_runtime *runtime = runtime_make(3);
    weir_buffer *in = buffer_of((weir_buffer_desc){.name = "in", .element_bytes = 4, .nx = NX, .ny = NY, .place = WEIR_HOST_IN});
    weir_buffer *device = buffer_of((weir_buffer_desc){.name = "device", .element_bytes = 4, .nx = NX, .ny = NY, .row_bytes = 4 * NX + 20});
    weir_buffer *out = buffer_of((weir_buffer_desc){.name = "out", .element_bytes = 4, .nx = NX, .ny = NY, .place = WEIR_HOST_OUT});
    weir_graph *graph = graph_make("g");
    const weir_box inner = {.x = 100, .y = 50, .nx = 500, .ny = 200};
    uint32_t nine = 9;
    weir_add_copy(graph, "up", WEIR_WRITE(device), WEIR_READ(in));
    weir_add_fill(graph, "hole", weir_part(WEIR_WRITE(device), inner), &nine, sizeof nine);
    weir_add_copy(graph, "down", WEIR_WRITE(out), WEIR_READ(device));
    weir_exec *exec = exec_make(runtime, graph, 1);
    for (uint32_t n = 0; n < 3; n++) {
        weir_frame *frame = NULL;
        weir_ticket ticket;
        OK(weir_exec_begin(exec, -1, &frame));
        uint32_t *data = weir_frame_data(frame, in);
        for (uint32_t i = 0; i < NX * NY; i++)
            data[i] = i * 7 + n + 100;
        OK(weir_frame_submit(frame, &ticket));
        OK(weir_exec_wait(exec, ticket, -1));
        const uint32_t *result = weir_exec_data(exec, ticket, out);
        for (uint32_t i = 0; i < NX * NY; i++) {
            uint32_t x = i % NX, y = i / NX;
            bool inside = x >= 100 && x < 600 && y >= 50 && y < 250;
            ck_assert_msg(result[i] == (inside ? 9 : i * 7 + n + 100), "element (%u, %u) is %u", x, y, result[i]);
        }
    }
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(in);
    weir_buffer_destroy(device);
    weir_buffer_destroy(out);
    weir_runtime_destroy(runtime);
}
END_TEST

START_TEST(tokens_are_moved_without_memory)
{
    weir_runtime *runtime = runtime_make(1);
    weir_buffer *a = buffer_of((weir_buffer_desc){.name = "a", .element_bytes = 4});
    weir_buffer *b = buffer_of((weir_buffer_desc){.name = "b", .element_bytes = 4});
    weir_graph *graph = graph_make("g");
    weir_add_copy(graph, "copy", WEIR_WRITE(a), WEIR_READ(b));
    weir_add_fill(graph, "fill", WEIR_WRITE(b), "x", 1);
    weir_exec *exec = exec_make(runtime, graph, 1);
    run_frames(exec, 2);
    weir_exec_destroy(exec);
    weir_graph_destroy(graph);
    weir_buffer_destroy(a);
    weir_buffer_destroy(b);
    weir_runtime_destroy(runtime);
}
END_TEST

int main(void)
{
    no_environment();
    Suite *suite = suite_create("backend/host/move");
    TCase *cases = tcase_create("move");
    tcase_add_test(cases, copies_are_what_an_element_at_a_time_gives);
    tcase_add_test(cases, rows_longer_than_a_block_are_cut_and_lose_nothing);
    tcase_add_test(cases, fills_are_what_a_byte_at_a_time_gives);
    tcase_add_test(cases, tasks_move_what_they_should_on_several_workers);
    tcase_add_test(cases, tokens_are_moved_without_memory);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
