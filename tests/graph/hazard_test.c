/* hazard_test.c - what hazard.c promises: found pairs order exactly what must be ordered. The truth is every pair of earlier and later
 * touch, compared one by one. */
#include "graph/hazard.h"
#include "graph/closure.h"
#include "graph/declare.h"
#include "util/random.h"

enum { TOUCHES_MOST = 220 };

typedef struct {
    weir_span span;
    unsigned mode;
} touched;

static bool must_follow(const touched *earlier, const touched *later)
{
    bool both_read = earlier->mode == WEIR_ARG_READ && later->mode == WEIR_ARG_READ;
    bool both_reduce = earlier->mode == WEIR_ARG_REDUCE && later->mode == WEIR_ARG_REDUCE;
    for (int i = 0; i < 3; i++)
        if (earlier->span.hi[i] <= later->span.lo[i] || later->span.hi[i] <= earlier->span.lo[i])
            return false;
    return !both_read && !both_reduce;
}

/* How one sequence of touches is made. */
typedef struct {
    uint32_t n[3]; /* extents of the buffer */
    uint32_t box_most[3];
    uint32_t first_box; /* the first touch's extent, for bins much larger than what comes; 0: like the rest */
    uint32_t whole_in;  /* one touch in so many is of the whole; 0: none */
    uint32_t crowd;     /* boxes lie in the first `crowd` elements along x; 0: anywhere */
} style;

static weir_span random_span(const style *s, uint32_t number, uint64_t *random)
{
    weir_span span = {{0, 0, 0}, {s->n[0], s->n[1], s->n[2]}};
    if (number > 0 && s->whole_in && weir_random_below(random, s->whole_in) == 0)
        return span;
    for (int i = 0; i < 3; i++) {
        uint32_t reach = i == 0 && s->crowd ? s->crowd : s->n[i];
        uint32_t most = s->box_most[i] < reach ? s->box_most[i] : reach, extent = 1 + weir_random_below(random, most);
        if (number == 0 && s->first_box)
            extent = s->first_box < s->n[i] ? s->first_box : s->n[i];
        reach = reach < extent ? extent : reach;
        span.lo[i] = weir_random_below(random, reach - extent + 1);
        span.hi[i] = span.lo[i] + extent;
    }
    return span;
}

static unsigned random_mode(uint64_t *random, uint32_t flavour)
{
    static const unsigned modes[3][8] = {
        {WEIR_ARG_READ, WEIR_ARG_READ, WEIR_ARG_WRITE, WEIR_ARG_WRITE, WEIR_ARG_READ_WRITE, WEIR_ARG_REDUCE, WEIR_ARG_REDUCE,
         WEIR_ARG_READ},
        {WEIR_ARG_READ, WEIR_ARG_READ, WEIR_ARG_READ, WEIR_ARG_READ, WEIR_ARG_READ, WEIR_ARG_READ, WEIR_ARG_REDUCE, WEIR_ARG_WRITE},
        {WEIR_ARG_REDUCE, WEIR_ARG_REDUCE, WEIR_ARG_REDUCE, WEIR_ARG_READ, WEIR_ARG_READ_WRITE, WEIR_ARG_REDUCE, WEIR_ARG_READ,
         WEIR_ARG_REDUCE},
    };
    return modes[flavour][weir_random_below(random, 8)];
}

static void compare_with_truth(const style *s, uint64_t seed)
{
    static touched all[TOUCHES_MOST];
    uint64_t random = seed;
    uint32_t count = 20 + weir_random_below(&random, TOUCHES_MOST - 20), flavour = weir_random_below(&random, 3);
    weir_span whole = {{0, 0, 0}, {s->n[0], s->n[1], s->n[2]}};
    weir_hazard *hazard = weir_hazard_create(&whole);
    weir_touchers found = {NULL, 0, 0};
    closure truth = closure_make(count), ours = closure_make(count);
    for (uint32_t i = 0; i < count; i++) {
        all[i] = (touched){random_span(s, i, &random), random_mode(&random, flavour)};
        found.count = 0;
        ck_assert(weir_hazard_touch(hazard, &all[i].span, all[i].mode, i, &found));
        for (uint32_t f = 0; f < found.count; f++) {
            uint32_t j = found.at[f];
            ck_assert_msg(j < i && must_follow(&all[j], &all[i]), "seed %llu: touch %u need not follow %u", (unsigned long long)seed, i, j);
            closure_edge(&ours, j, i);
        }
        for (uint32_t j = 0; j < i; j++)
            if (must_follow(&all[j], &all[i]))
                closure_edge(&truth, j, i);
    }
    closure_close(&truth);
    closure_close(&ours);
    uint32_t from, to;
    ck_assert_msg(!closure_differs(&truth, &ours, &from, &to), "seed %llu: touch %u does not follow %u", (unsigned long long)seed, to,
                  from);
    closure_finish(&truth);
    closure_finish(&ours);
    weir_vector_finish(&found);
    weir_hazard_destroy(hazard);
}

static void compare_many(const style *styles, size_t count, uint64_t seeds)
{
    for (size_t i = 0; i < count; i++)
        for (uint64_t seed = 1; seed <= seeds; seed++)
            compare_with_truth(&styles[i], seed * 1000 + i);
}

#define COMPARE_MANY(seeds, ...)                                                                                                           \
    do {                                                                                                                                   \
        const style styles[] = {__VA_ARGS__};                                                                                              \
        compare_many(styles, sizeof styles / sizeof *styles, seeds);                                                                       \
    } while (0)

START_TEST(touches_of_the_whole_are_ordered_as_they_must_be)
{
    COMPARE_MANY(60, {{1, 1, 1}, {1, 1, 1}, 0, 0, 0}, {{9, 4, 2}, {9, 4, 2}, 0, 1, 0});
}
END_TEST

START_TEST(boxes_of_one_dimension_are_ordered_as_they_must_be)
{
    COMPARE_MANY(40, {{64, 1, 1}, {9, 1, 1}, 0, 0, 0}, {{64, 1, 1}, {64, 1, 1}, 0, 8, 0}, {{5, 1, 1}, {3, 1, 1}, 0, 3, 0});
}
END_TEST

START_TEST(boxes_of_two_dimensions_are_ordered_as_they_must_be)
{
    COMPARE_MANY(40, {{20, 20, 1}, {6, 6, 1}, 0, 0, 0}, {{20, 13, 1}, {20, 3, 1}, 0, 10, 0}, {{7, 50, 1}, {7, 2, 1}, 0, 20, 0});
}
END_TEST

START_TEST(boxes_of_three_dimensions_are_ordered_as_they_must_be)
{
    COMPARE_MANY(40, {{8, 8, 8}, {4, 4, 4}, 0, 0, 0}, {{5, 6, 7}, {5, 2, 7}, 0, 6, 0}, {{3, 1, 9}, {2, 1, 4}, 0, 12, 0});
}
END_TEST

/* The first box makes few, large bins; many small ones in one of them make it split. */
START_TEST(bins_that_are_split_forget_nothing)
{
    COMPARE_MANY(30, {{4096, 1, 1}, {4, 1, 1}, 2000, 0, 40}, {{4096, 1, 1}, {4, 1, 1}, 2000, 15, 40}, {{100, 100, 1}, {3, 3, 1}, 60, 0, 12},
                 {{100, 100, 1}, {3, 3, 1}, 60, 25, 12}, {{30, 30, 30}, {3, 3, 3}, 20, 30, 6},
                 {{4096, 4096, 1}, {2000, 2, 1}, 4000, 40, 0});
}
END_TEST

/* More bins are asked for than are given at first. */
START_TEST(more_tiles_than_bins_are_ordered_as_they_must_be)
{
    COMPARE_MANY(30, {{100000, 1, 1}, {1, 1, 1}, 1, 0, 60}, {{1000, 1000, 1}, {1, 1, 1}, 1, 30, 10},
                 {{4000000000u, 1, 1}, {1, 1, 1}, 1, 30, 30}, {{4294967295u, 1, 1}, {4294967294u, 1, 1}, 0, 9, 0},
                 {{70000, 70000, 70000}, {30000, 2, 60000}, 1, 9, 0});
}
END_TEST

START_TEST(what_was_never_written_is_known_to_the_element)
{
    enum { MOST = 12 };
    for (uint64_t seed = 1; seed <= 150; seed++) {
        uint64_t random = seed;
        style s = {.whole_in = 0};
        for (int i = 0; i < 3; i++) {
            s.n[i] = 1 + weir_random_below(&random, MOST);
            s.box_most[i] = 1 + weir_random_below(&random, s.n[i]);
        }
        s.whole_in = seed % 3 ? 0 : 60;
        s.first_box = seed % 4 ? 0 : MOST;
        static bool written[MOST][MOST][MOST];
        memset(written, 0, sizeof written);
        weir_span whole = {{0, 0, 0}, {s.n[0], s.n[1], s.n[2]}};
        weir_hazard *hazard = weir_hazard_create(&whole);
        weir_touchers found = {NULL, 0, 0};
        for (uint32_t i = 0; i < 80; i++) {
            weir_span asked = random_span(&s, 1, &random), span = random_span(&s, i, &random);
            bool any = false;
            for (uint32_t z = asked.lo[2]; z < asked.hi[2]; z++)
                for (uint32_t y = asked.lo[1]; y < asked.hi[1]; y++)
                    for (uint32_t x = asked.lo[0]; x < asked.hi[0]; x++)
                        any = any || !written[z][y][x];
            ck_assert_msg(weir_hazard_unwritten(hazard, &asked) == any, "seed %llu, after %u touches", (unsigned long long)seed, i);
            unsigned mode = random_mode(&random, 0);
            ck_assert(weir_hazard_touch(hazard, &span, mode, i, &found));
            for (uint32_t z = span.lo[2]; z < span.hi[2]; z++)
                for (uint32_t y = span.lo[1]; y < span.hi[1]; y++)
                    for (uint32_t x = span.lo[0]; x < span.hi[0]; x++)
                        written[z][y][x] = written[z][y][x] || mode == WEIR_ARG_WRITE || mode == WEIR_ARG_READ_WRITE;
        }
        weir_vector_finish(&found);
        weir_hazard_destroy(hazard);
    }
}
END_TEST

/* 64 x 64 tiles of one buffer, updated round after round: each has one before it. Counted, so that no machine is too slow. */
START_TEST(tiles_in_rounds_find_one_each)
{
    enum { TILES = 64, EDGE = 8, ROUNDS = 6 };
    weir_span whole = {{0, 0, 0}, {TILES * EDGE, TILES * EDGE, 1}};
    weir_hazard *hazard = weir_hazard_create(&whole);
    weir_touchers found = {NULL, 0, 0};
    uint32_t who = 0;
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t y = 0; y < TILES; y++)
            for (uint32_t x = 0; x < TILES; x++) {
                weir_span tile = {{x * EDGE, y * EDGE, 0}, {(x + 1) * EDGE, (y + 1) * EDGE, 1}};
                found.count = 0;
                ck_assert(weir_hazard_touch(hazard, &tile, WEIR_ARG_READ_WRITE, who, &found));
                ck_assert_uint_eq(found.count, round ? 1 : 0);
                if (round)
                    ck_assert_uint_eq(found.at[0], who - TILES * TILES);
                who++;
            }
    weir_vector_finish(&found);
    weir_hazard_destroy(hazard);
}
END_TEST

/* A stencil: each tile is read with a halo of one element, then written; tiles are no multiple of what bins were made for. */
START_TEST(tiles_with_halos_in_rounds_keep_pairs_linear)
{
    enum { TILES = 40, EDGE = 10, ROUNDS = 8, NEIGHBOURS = 9 };
    weir_span whole = {{0, 0, 0}, {TILES * EDGE, TILES * EDGE, 1}};
    weir_hazard *hazard = weir_hazard_create(&whole);
    weir_touchers found = {NULL, 0, 0};
    uint64_t pairs = 0;
    uint32_t who = 0;
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (int writes = 0; writes < 2; writes++)
            for (uint32_t y = 0; y < TILES; y++)
                for (uint32_t x = 0; x < TILES; x++) {
                    uint32_t halo = writes ? 0 : 1;
                    weir_span tile = {{x * EDGE - (x ? halo : 0), y * EDGE - (y ? halo : 0), 0},
                                      {(x + 1) * EDGE + (x + 1 < TILES ? halo : 0), (y + 1) * EDGE + (y + 1 < TILES ? halo : 0), 1}};
                    found.count = 0;
                    ck_assert(weir_hazard_touch(hazard, &tile, writes ? WEIR_ARG_WRITE : WEIR_ARG_READ, who++, &found));
                    pairs += found.count;
                }
    /* A read meets at most 9 tiles of the round before; a write those who read it, and what it overwrites. A box may be found once a
     * bin that it meets, of which there are 4. */
    ck_assert_uint_le(pairs, (uint64_t)2 * ROUNDS * TILES * TILES * (NEIGHBOURS + 1) * 4);
    weir_vector_finish(&found);
    weir_hazard_destroy(hazard);
}
END_TEST

/* Reads of the whole between rounds must not make every tile follow every reader of all rounds. */
START_TEST(whole_writes_end_the_past)
{
    enum { TILES = 500, ROUNDS = 20 };
    weir_span whole = {{0, 0, 0}, {TILES, 1, 1}};
    weir_hazard *hazard = weir_hazard_create(&whole);
    weir_touchers found = {NULL, 0, 0};
    uint32_t who = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        found.count = 0;
        ck_assert(weir_hazard_touch(hazard, &whole, WEIR_ARG_WRITE, who++, &found));
        ck_assert_uint_le(found.count, round ? TILES + 1 : 0); /* the last round's readers, and the write before them at most */
        for (uint32_t x = 0; x < TILES; x++) {
            weir_span tile = {{x, 0, 0}, {x + 1, 1, 1}};
            found.count = 0;
            ck_assert(weir_hazard_touch(hazard, &tile, WEIR_ARG_READ, who++, &found));
            ck_assert_uint_eq(found.count, 1);
        }
    }
    weir_vector_finish(&found);
    weir_hazard_destroy(hazard);
}
END_TEST

/* What a part has followed of the whole it does not follow again: after a read of the whole, a tile's first update follows that and the
 * update before it, the second the first alone. */
START_TEST(parts_follow_a_touch_of_the_whole_once)
{
    enum { TILES = 40, ROUNDS = 10 };
    weir_span whole = {{0, 0, 0}, {TILES, 1, 1}};
    weir_hazard *hazard = weir_hazard_create(&whole);
    weir_touchers found = {NULL, 0, 0};
    uint32_t who = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        found.count = 0;
        ck_assert(weir_hazard_touch(hazard, &whole, WEIR_ARG_READ, who++, &found));
        ck_assert_uint_eq(found.count, round ? TILES : 0);
        for (uint32_t update = 0; update < 2; update++)
            for (uint32_t x = 0; x < TILES; x++) {
                weir_span tile = {{x, 0, 0}, {x + 1, 1, 1}};
                found.count = 0;
                ck_assert(weir_hazard_touch(hazard, &tile, WEIR_ARG_READ_WRITE, who++, &found));
                ck_assert_uint_le(found.count, update || !round ? 1 : 2);
                ck_assert(!update || found.at[0] == who - 1 - TILES);
            }
    }
    weir_vector_finish(&found);
    weir_hazard_destroy(hazard);
}
END_TEST

START_TEST(destroying_nothing_is_fine)
{
    weir_hazard_destroy(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("graph/hazard");
    TCase *cases = tcase_create("hazard");
    tcase_add_test(cases, touches_of_the_whole_are_ordered_as_they_must_be);
    tcase_add_test(cases, boxes_of_one_dimension_are_ordered_as_they_must_be);
    tcase_add_test(cases, boxes_of_two_dimensions_are_ordered_as_they_must_be);
    tcase_add_test(cases, boxes_of_three_dimensions_are_ordered_as_they_must_be);
    tcase_add_test(cases, bins_that_are_split_forget_nothing);
    tcase_add_test(cases, more_tiles_than_bins_are_ordered_as_they_must_be);
    tcase_add_test(cases, what_was_never_written_is_known_to_the_element);
    tcase_add_test(cases, tiles_in_rounds_find_one_each);
    tcase_add_test(cases, tiles_with_halos_in_rounds_keep_pairs_linear);
    tcase_add_test(cases, whole_writes_end_the_past);
    tcase_add_test(cases, parts_follow_a_touch_of_the_whole_once);
    tcase_add_test(cases, destroying_nothing_is_fine);
    suite_add_tcase(suite, cases);
    return suite_run(suite);
}
