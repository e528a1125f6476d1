/* read_noise_test.c - 100 MB of nonsense: each reader refuses it with a line, soon, and with a bounded amount of memory. */
#include "texts.h"
#include "util/clock.h"
#include "util/random.h"
#include <sys/resource.h>

/* Sanitizers take time and memory of their own, so there it is less, and only the rest is looked at. */
#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer)
enum { BYTES = 5 * 1000 * 1000, SECONDS_MOST = 300, MIB_MOST = INT32_MAX };
#else
enum { BYTES = 100 * 1000 * 1000, SECONDS_MOST = 60, MIB_MOST = 3000 };
#endif

static const struct {
    const char *name;
    read_format *read;
} formats[] = {{"json", read_json}, {"stg", read_stg}, {"dot", read_dot}};

/* `begin`, then `again` repeated; NULL: bytes by chance. */
static const struct {
    const char *name, *begin, *again;
} noises[] = {
    {"bytes by chance", "", NULL},
    {"one digit", "", "1"},
    {"one letter", "", "a"},
    {"open brackets", "", "["},
    {"open braces", "digraph ", "{"},
    {"numbers", "", "1 "},
    {"lines", "", "1\n"},
    {"quotes", "", "\""},
    {"an open text", "\"", "a"},
    {"an endless list", "{\"weir\": [", "0,"},
    {"an endless row", "1\n0 1 4000000000 ", "7 "},
    {"a number of many digits", "1\n0 ", "9"},
    {"tasks without end", "1\n", "0 1 0\n"},
    {"a name without end", "digraph { ", "a"},
    {"nodes without end", "digraph { ", "a;"},
    {"blanks without end", "digraph { ", " "},
    {"a comment without end", "digraph { /*", "*"},
    {"one-line comments", "digraph { ", "//"},
    {"HTML without end", "digraph { a [label=<", "<"},
    {"comments", "#", "#"},
    {"comment lines", "#", "\n#"},
};

static void make(char *text, const char *begin, const char *again)
{
    size_t at = strlen(begin), length = again ? strlen(again) : 0;
    uint64_t seed = 3;
    memcpy(text, begin, at);
    for (; at < BYTES; at++)
        text[at] = again ? again[(at - strlen(begin)) % length] : (char)weir_random_below(&seed, 256);
    text[BYTES] = '\0';
}

START_TEST(noise_is_refused_soon_and_with_its_line)
{
    char *text = malloc((size_t)BYTES + 1);
    ck_assert_ptr_nonnull(text);
    make(text, noises[_i].begin, noises[_i].again);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        read_drawing read;
        read_error error = {""};
        int64_t from = weir_clock_ns();
        ck_assert_msg(!read_from_text(formats[f].read, "f", text, BYTES, &read, &error), "%s accepted %s", formats[f].name,
                      noises[_i].name);
        double seconds = (double)(weir_clock_ns() - from) * 1e-9;
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("%-24s %-5s %6.2f s, %5ld MiB: %.90s\n", noises[_i].name, formats[f].name, seconds, usage.ru_maxrss / 1024, error.text);
        fflush(stdout);
        ck_assert_msg(strncmp(error.text, "f:", 2) == 0 && error.text[2] >= '1' && error.text[2] <= '9', "%s", error.text);
        ck_assert_double_lt(seconds, SECONDS_MOST);
        ck_assert_int_lt(usage.ru_maxrss / 1024, MIB_MOST);
    }
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tools/read_noise");
    TCase *tcase = tcase_create("read_noise");
    tcase_add_loop_test(tcase, noise_is_refused_soon_and_with_its_line, 0, sizeof noises / sizeof *noises);
    suite_add_tcase(suite, tcase);
    return texts_run(suite);
}
