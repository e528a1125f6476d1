/* fluid_test.c - smoke on a device is the host's smoke, to the byte: kernels/ is built without contraction for both. Every buffer's newest copy is
 * compared after some frames, and each frame's picture. As a program does it, with the library. */
#include "cuda_fixture.h"
#include "fluid_graph.h"
#include "fluid_sources.h"

enum { NX = 96, NY = 72, CELLS = NX * NY, FRAMES = 6, SWEEPS = 7 };

typedef struct {
    unsigned char pixels[FRAMES][CELLS * 4];
    unsigned char left[FLUID_BUFFERS_MAX][CELLS * 4]; /* each buffer, as far as it goes */
    size_t bytes[FLUID_BUFFERS_MAX];
    uint32_t rounds[FRAMES]; /* of the loop, if there is one */
} film;

static film on_host, on_device;

typedef enum { RED_BLACK, JACOBI, TO_RESIDUAL, FED } solver; /* FED: red-black, each frame with a picture of its own */

static fluid_graph graph_of(solver s)
{
    const fluid_size size = {NX, NY};
    fluid_graph graph;
    fluid_setup setup = {.size = size, .motion = fluid_motion_for(size), .sweeps = SWEEPS, .jacobi = s == JACOBI, .feeds = s == FED,
        .priority = {-1, 0, 1}};
    if (s == TO_RESIDUAL) {
        setup.sweeps = 400;
        setup.sweeps_a_test = 3;
        setup.residual = 2e-3f;
    }
    OK(fluid_graph_create(&setup, &graph));
    return graph;
}

/* Stripes of light, and a wall. */
static void start(const fluid_graph *graph, weir_exec *exec)
{
    weir_frame *frame = NULL;
    weir_ticket ticket = {0};
    OK(weir_exec_begin(exec, -1, &frame));
    float *picture = weir_frame_data(frame, graph->picture);
    unsigned char *walls = weir_frame_data(frame, graph->walls);
    for (int i = 0; i < 3 * CELLS; i++)
        picture[i] = (float)(i * 7 % 31) / 31.0f;
    for (int i = 0; i < CELLS; i++)
        walls[i] = i / NX > NY / 2 && i % NX > 30 && i % NX < 37;
    OK(weir_frame_submit(frame, &ticket));
    OK(weir_exec_wait(exec, ticket, -1));
}

/* How many bytes a buffer has is asked of it, from most to least; those no exec uses have none. */
static size_t read_all(weir_runtime *runtime, weir_buffer *buffer, unsigned char *to)
{
    for (size_t bytes = CELLS * 4; bytes > 0; bytes--)
        if (weir_buffer_read(runtime, buffer, to, 0, bytes) == WEIR_OK)
            return bytes;
    return 0;
}

/* Before the frame that takes its place begins. */
static void look(weir_exec *exec, const fluid_graph *graph, solver s, uint64_t n, film *out)
{
    const weir_ticket ticket = {n + 1};
    OK(weir_exec_wait(exec, ticket, -1));
    const void *pixels = weir_exec_data(exec, ticket, graph->pixels);
    ck_assert_msg(pixels != NULL, "%s", weir_last_error());
    memcpy(out->pixels[n], pixels, sizeof out->pixels[n]);
    if (s == TO_RESIDUAL)
        OK(weir_exec_iterations(exec, ticket, graph->loop, &out->rounds[n]));
}

static void shoot(weir_runtime *runtime, solver s, const char *mode, uint32_t in_flight, film *out)
{
    fluid_graph graph = graph_of(s);
    weir_exec *exec = exec_with(runtime, graph.frame, &(weir_plan_options){.frames = in_flight}, &(weir_exec_options){.mode = mode}),
              *first = exec_with(runtime, graph.start, NULL, &(weir_exec_options){.mode = mode});
    memset(out, 0, sizeof *out);
    start(&graph, first);
    uint64_t seen = 0;
    for (uint64_t n = 0; n < FRAMES; n++) {
        weir_frame *frame = NULL;
        if (n >= in_flight)
            look(exec, &graph, s, seen++, out);
        OK(weir_exec_begin(exec, -1, &frame));
        fluid_sources_at(1, n, (fluid_size){NX, NY}, weir_frame_data(frame, graph.sources));
        unsigned char *feed = s == FED ? weir_frame_data(frame, graph.feed) : NULL;
        for (size_t i = 0; feed && i < CELLS * 4; i++)
            feed[i] = (unsigned char)(i * 13 % 251 + n * 40);
        OK(weir_frame_submit(frame, NULL));
    }
    while (seen < FRAMES)
        look(exec, &graph, s, seen++, out);
    for (uint32_t b = 0; b < graph.count; b++)
        out->bytes[b] = read_all(runtime, graph.all[b], out->left[b]);
    weir_exec_destroy(exec);
    weir_exec_destroy(first);
    fluid_graph_destroy(&graph);
}

static void compare(const char *what)
{
    for (int n = 0; n < FRAMES; n++)
        ck_assert_msg(on_host.rounds[n] == on_device.rounds[n], "%s: frame %d took %u rounds, %u on the host", what, n, (unsigned)on_device.rounds[n],
            (unsigned)on_host.rounds[n]);
    for (int n = 0; n < FRAMES; n++)
        ck_assert_msg(memcmp(on_host.pixels[n], on_device.pixels[n], sizeof on_host.pixels[n]) == 0, "%s: picture %d is another", what, n);
    for (int b = 0; b < FLUID_BUFFERS_MAX; b++) {
        ck_assert_uint_eq(on_host.bytes[b], on_device.bytes[b]);
        ck_assert_msg(memcmp(on_host.left[b], on_device.left[b], on_host.bytes[b]) == 0, "%s: buffer %d holds something else", what, b);
    }
}

static void compare_solver(solver s)
{
    weir_runtime *host = NULL, *device = cuda_runtime();
    OK(weir_runtime_create(&(weir_runtime_options){.backend = "host", .workers = 2}, &host));
    shoot(host, s, NULL, 1, &on_host);
    ck_assert_int_ne(memcmp(on_host.pixels[0], on_host.pixels[FRAMES - 1], sizeof on_host.pixels[0]), 0);
    for (int m = 0; m < CUDA_MODES; m++)
        for (uint32_t in_flight = 1; in_flight <= 3; in_flight++) {
            shoot(device, s, cuda_modes[m], in_flight, &on_device);
            compare(cuda_modes[m]);
        }
    weir_runtime_destroy(device);
    weir_runtime_destroy(host);
}

START_TEST(red_black_smoke_is_the_hosts_to_the_byte)
{
    compare_solver(RED_BLACK);
}
END_TEST

START_TEST(jacobi_smoke_is_the_hosts_to_the_byte)
{
    compare_solver(JACOBI);
}
END_TEST

START_TEST(smoke_of_a_picture_a_frame_is_the_hosts_to_the_byte)
{
    compare_solver(FED);
}
END_TEST

START_TEST(smoke_solved_to_a_residual_is_the_hosts_to_the_byte)
{
    compare_solver(TO_RESIDUAL);
    ck_assert_uint_gt(on_host.rounds[0], 1);
}
END_TEST

int main(void)
{
    skip_without_device();
    no_environment();
    Suite *suite = suite_create("backend/cuda/fluid");
    TCase *cases = tcase_create("fluid");
    tcase_add_test(cases, red_black_smoke_is_the_hosts_to_the_byte);
    tcase_add_test(cases, jacobi_smoke_is_the_hosts_to_the_byte);
    tcase_add_test(cases, smoke_of_a_picture_a_frame_is_the_hosts_to_the_byte);
    tcase_add_test(cases, smoke_solved_to_a_residual_is_the_hosts_to_the_byte);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
