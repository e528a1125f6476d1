/* host_test.c - what host.c promises of the device that is this process. */
#include "backend/host/host.h"
#include "backend/host/device.h"
#include "run/fixture.h"
#include "util/counting.h"
#include <stdint.h>

static const weir_backend_ops *const host = &weir_host_backend;
static _Atomic(weir_tracer *) nobody;

static weir_backend *open_with(weir_backend_options options)
{
    weir_backend *backend = NULL;
    options.tracer = &nobody;
    OK(host->open(&options, &backend));
    return backend;
}

START_TEST(device_is_always_there)
{
    weir_device_info info;
    host->describe(&info);
    ck_assert_str_eq(info.backend, "host");
    ck_assert_int_eq(info.available, 1);
    ck_assert_str_eq(info.why_not, "");
    ck_assert_uint_ge(info.workers, 1);
    ck_assert_uint_eq(info.lanes, info.workers);
    weir_backend *backend = open_with((weir_backend_options){.workers = 0});
    ck_assert_uint_eq(host->workers(backend), info.workers); /* as described */
    ck_assert_uint_eq(host->lanes(backend), info.lanes);
    host->close(backend);
}
END_TEST

START_TEST(it_is_among_the_backends)
{
    int found = 0, count = 0;
    for (; weir_backends[count]; count++)
        found += weir_backends[count] == host;
    ck_assert_int_eq(found, 1);
    ck_assert_ptr_eq(weir_backends[count - 1], host); /* the least wanted: it is always there */
}
END_TEST

START_TEST(required_entries_are_there)
{
    ck_assert(host->name && host->describe && host->open && host->close && host->workers && host->lanes);
    ck_assert(host->take && host->give && host->write && host->read);
    ck_assert(host->program_create && host->program_destroy && host->submit && host->task_done && host->unfinished);
}
END_TEST

START_TEST(memory_is_zeroed_aligned_and_given_back)
{
    counting_start(0, 0);
    weir_backend *backend = open_with((weir_backend_options){.workers = 1});
    long before = atomic_load(&counting_live);
    for (int place = WEIR_DEVICE; place <= WEIR_HOST_LOCAL; place++)
        for (size_t bytes = 1; bytes < 5000; bytes = bytes * 3 + 1) {
            unsigned char *memory = host->take(backend, (weir_place)place, bytes);
            ck_assert_ptr_nonnull(memory);
            ck_assert_uint_eq((uintptr_t)memory % 64, 0);
            for (size_t i = 0; i < bytes; i++)
                ck_assert_uint_eq(memory[i], 0);
            unsigned char in = 7, out = 0;
            OK(host->write(backend, (weir_place)place, memory + bytes - 1, &in, 1));
            OK(host->read(backend, (weir_place)place, &out, memory + bytes - 1, 1));
            ck_assert_uint_eq(out, 7);
            host->give(backend, (weir_place)place, memory);
        }
    ck_assert_int_eq(atomic_load(&counting_live), before);
    counting_start(1, 1);
    ck_assert_ptr_null(host->take(backend, WEIR_DEVICE, 12345));
    says(weir_last_error(), "out of memory: 12345 bytes");
    counting_relent();
    host->close(backend);
    ck_assert_int_eq(atomic_load(&counting_live), 0);
    weir_set_allocator(NULL);
}
END_TEST

START_TEST(too_many_workers_are_refused)
{
    weir_backend *untouched = (weir_backend *)&untouched, *backend = untouched;
    REFUSED(WEIR_ERR_INVALID, host->open(&(weir_backend_options){.workers = 1025, .tracer = &nobody}, &backend),
            "host: 1025 workers, at most 1024");
    ck_assert_ptr_eq(backend, untouched);
}
END_TEST

START_TEST(shuffled_device_has_one_worker_and_the_lanes_asked_for)
{
    weir_backend *backend = open_with((weir_backend_options){.workers = 5, .shuffle = true, .seed = 9});
    ck_assert_uint_eq(host->workers(backend), 1);
    ck_assert_uint_eq(host->lanes(backend), 5);
    host->close(backend);
    host->close(NULL);
}
END_TEST

START_TEST(no_memory_to_open_is_told_and_leaves_nothing)
{
    for (long fail_at = 1;; fail_at++) {
        weir_backend *backend = NULL;
        counting_start(fail_at, 1);
        weir_status status = host->open(&(weir_backend_options){.workers = 3, .tracer = &nobody}, &backend);
        counting_relent();
        if (status == WEIR_OK) {
            ck_assert_int_gt(fail_at, 1);
            host->close(backend);
            ck_assert_int_eq(atomic_load(&counting_live), 0);
            break;
        }
        ck_assert_int_eq(status, WEIR_ERR_NO_MEMORY);
        ck_assert_int_eq(atomic_load(&counting_live), 0);
    }
    weir_set_allocator(NULL);
}
END_TEST

int main(void)
{
    no_environment();
    Suite *suite = suite_create("backend/host/host");
    TCase *cases = tcase_create("host");
    tcase_add_test(cases, device_is_always_there);
    tcase_add_test(cases, it_is_among_the_backends);
    tcase_add_test(cases, required_entries_are_there);
    tcase_add_test(cases, memory_is_zeroed_aligned_and_given_back);
    tcase_add_test(cases, too_many_workers_are_refused);
    tcase_add_test(cases, shuffled_device_has_one_worker_and_the_lanes_asked_for);
    tcase_add_test(cases, no_memory_to_open_is_told_and_leaves_nothing);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
