/* text_test.c - what text.c promises about characters and times. */
#include "observe/text.h"
#include "observe/sample.h"

static char *shown(const char *text)
{
    char *out = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&out, &bytes);
    weir_text_put_visible(stream, text);
    fclose(stream);
    return out;
}

static void shows(const char *text, const char *expected)
{
    char *out = shown(text);
    ck_assert_str_eq(out, expected);
    free(out);
}

START_TEST(well_formed_text_comes_through_unchanged)
{
    const char *text = "plain, \xC3\xBC, \xE2\x82\xAC, \xF0\x9F\x8C\x8A, \xF4\x8F\xBF\xBD";
    shows(text, text);
    ck_assert_uint_eq(weir_text_length(text), 17);
}
END_TEST

START_TEST(bytes_that_are_no_utf8_become_one_mark_each)
{
    shows("a\xFFz", "a\xEF\xBF\xBDz");
    shows("\x80", "\xEF\xBF\xBD");
    shows("\xC3", "\xEF\xBF\xBD");                                     /* cut off */
    shows("\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD");
    shows("\xC3(", "\xEF\xBF\xBD(");                                   /* what follows is kept */
    shows("\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD");                     /* an overlong slash */
    shows("\xE0\x80\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    shows("\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");     /* half a surrogate pair */
    shows("\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); /* beyond the last character */
    shows("\xF8\x88\x80\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}
END_TEST

START_TEST(characters_that_steer_terminals_are_drawn_instead)
{
    shows("a\nb\t\x1B[31m\x7F", "a\xE2\x90\x8A" "b\xE2\x90\x89\xE2\x90\x9B[31m\xE2\x90\xA1");
    shows("\xC2\x9B", "\xEF\xBF\xBD");     /* the escape sequence's one-character form */
    shows("\xEF\xBF\xBE", "\xEF\xBF\xBD"); /* U+FFFE, which XML refuses */
}
END_TEST

START_TEST(every_character_is_read_back_as_it_was_put)
{
    for (uint32_t c = 1; c <= 0x10FFFF; c++) {
        char text[8] = "";
        if (c >= 0xD800 && c < 0xE000)
            continue;
        FILE *stream = fmemopen(text, sizeof text, "w");
        weir_text_put(stream, c);
        fclose(stream);
        const char *at = text;
        ck_assert_uint_eq(weir_text_next(&at), c);
        ck_assert_str_eq(at, "");
        if (c > 0x3000)
            c += 97; /* a sample of the rest */
    }
}
END_TEST

START_TEST(times_have_three_digits_and_the_unit_that_fits)
{
    static const struct {
        double ns;
        const char *text;
    } cases[] = {{0, "0"},        {0.5, "0.5 ns"},     {1, "1 ns"},         {812, "812 ns"},   {999.4, "999 ns"},   {999.6, "1 us"},
                 {1000, "1 us"},  {1234, "1.23 us"},   {12345, "12.3 us"},  {123456, "123 us"}, {999600, "1 ms"},    {12e6, "12 ms"},
                 {40e9, "40 s"},  {1.25e6, "1.25 ms"}, {3.6e12, "3600 s"},  {-1, "0"},          {100e3, "100 us"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(weir_text_time(cases[i].ns).text, cases[i].text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("observe/text");
    TCase *tcase = tcase_create("text");
    tcase_add_test(tcase, well_formed_text_comes_through_unchanged);
    tcase_add_test(tcase, bytes_that_are_no_utf8_become_one_mark_each);
    tcase_add_test(tcase, characters_that_steer_terminals_are_drawn_instead);
    tcase_add_test(tcase, every_character_is_read_back_as_it_was_put);
    tcase_add_test(tcase, times_have_three_digits_and_the_unit_that_fits);
    suite_add_tcase(suite, tcase);
    return sample_run(suite);
}
