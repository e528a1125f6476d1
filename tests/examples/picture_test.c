/* picture_test.c - what examples/picture.c promises. The PNG files are made here, by libpng, in a folder of the test's own. */
#include "picture.h"
#include <check.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static char path[128];

static void make_folder(void)
{
    strcpy(folder, "/tmp/weir-picture-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/test.png", folder);
}

static void remove_folder(void)
{
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0); /* nothing else was left there */
}

/* Writes rows as they are, `bytes` each. */
static void write_png(uint32_t width, uint32_t height, int depth, int colour_type, int interlace, const uint8_t *rows, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_IHDR(png, info, width, height, depth, colour_type, interlace, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (colour_type == PNG_COLOR_TYPE_PALETTE) {
        const png_color palette[4] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {9, 8, 7}};
        const png_byte alpha[2] = {255, 128};
        png_set_PLTE(png, info, palette, 4);
        png_set_tRNS(png, info, alpha, 2, NULL);
    }
    png_write_info(png, info);
    int passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < height; y++)
            png_write_row(png, rows + y * bytes);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    fclose(file);
}

static picture read_back(void)
{
    picture image;
    picture_trouble trouble = {""};
    ck_assert_msg(picture_read(path, &image, &trouble), "%s", trouble.text);
    return image;
}

static void pixel_is(const picture *image, uint32_t x, uint32_t y, int red, int green, int blue, int alpha)
{
    const uint8_t *p = image->rgba + 4 * (y * image->width + x);
    ck_assert_msg(p[0] == red && p[1] == green && p[2] == blue && p[3] == alpha, "%d %d %d %d at %u, %u", p[0], p[1], p[2], p[3], x, y);
}

START_TEST(reads_palettes_with_transparent_entries)
{
    const uint8_t rows[2][1] = {{0x1b}, {0xe4}}; /* two bits a pixel: 0 1 2 3; 3 2 1 0 */
    write_png(4, 2, 2, PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, rows[0], 1);
    picture image = read_back();
    ck_assert_uint_eq(image.width, 4);
    ck_assert_uint_eq(image.height, 2);
    pixel_is(&image, 0, 0, 255, 0, 0, 255);
    pixel_is(&image, 1, 0, 0, 255, 0, 128);
    pixel_is(&image, 3, 0, 9, 8, 7, 255);
    pixel_is(&image, 0, 1, 9, 8, 7, 255);
    picture_free(&image);
}
END_TEST

START_TEST(reads_one_bit_grey)
{
    const uint8_t row[1] = {0xa0};
    write_png(3, 1, 1, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, row, 1);
    picture image = read_back();
    pixel_is(&image, 0, 0, 255, 255, 255, 255);
    pixel_is(&image, 1, 0, 0, 0, 0, 255);
    pixel_is(&image, 2, 0, 255, 255, 255, 255);
    picture_free(&image);
}
END_TEST

START_TEST(reads_sixteen_bit_colour_with_alpha)
{
    const uint8_t row[8] = {0xff, 0xff, 0x80, 0x80, 0x00, 0x00, 0x40, 0x40};
    write_png(1, 1, 16, PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE, row, 8);
    picture image = read_back();
    pixel_is(&image, 0, 0, 255, 128, 0, 64);
    picture_free(&image);
}
END_TEST

START_TEST(reads_grey_with_alpha)
{
    const uint8_t row[4] = {200, 100, 7, 255};
    write_png(2, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_INTERLACE_NONE, row, 4);
    picture image = read_back();
    pixel_is(&image, 0, 0, 200, 200, 200, 100);
    pixel_is(&image, 1, 0, 7, 7, 7, 255);
    picture_free(&image);
}
END_TEST

START_TEST(reads_interlaced_files)
{
    uint8_t rows[19][23 * 3];
    for (int y = 0; y < 19; y++)
        for (int x = 0; x < 23 * 3; x++)
            rows[y][x] = (uint8_t)(y * 11 + x * 3);
    write_png(23, 19, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_ADAM7, rows[0], sizeof rows[0]);
    picture image = read_back();
    for (uint32_t y = 0; y < 19; y++)
        for (uint32_t x = 0; x < 23; x++)
            pixel_is(&image, x, y, rows[y][3 * x], rows[y][3 * x + 1], rows[y][3 * x + 2], 255);
    picture_free(&image);
}
END_TEST

START_TEST(what_was_written_is_read_back)
{
    enum { W = 37, H = 21 };
    uint8_t rgba[H * W * 4];
    for (size_t i = 0; i < sizeof rgba; i++)
        rgba[i] = (uint8_t)(i * 7 + i / 13);
    picture_trouble trouble;
    ck_assert(picture_write(path, rgba, W, H, &trouble));
    picture image = read_back();
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            const uint8_t *p = rgba + 4 * (y * W + x);
            pixel_is(&image, x, y, p[0], p[1], p[2], 255);
        }
    picture_free(&image);
}
END_TEST

static void refused(const char *file, const char *because)
{
    picture image;
    picture_trouble trouble = {""};
    ck_assert(!picture_read(file, &image, &trouble));
    ck_assert_msg(strstr(trouble.text, because) != NULL, "%s", trouble.text);
    ck_assert_msg(strstr(trouble.text, "; ") != NULL, "says nothing of what to do: %s", trouble.text);
}

static void write_bytes(const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(a_file_cut_off_anywhere_is_refused)
{
    uint8_t rgba[16 * 16 * 4], whole[4096];
    for (size_t i = 0; i < sizeof rgba; i++)
        rgba[i] = (uint8_t)(i * i);
    picture_trouble trouble;
    ck_assert(picture_write(path, rgba, 16, 16, &trouble));
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    size_t count = fread(whole, 1, sizeof whole, file);
    fclose(file);
    ck_assert_uint_lt(count, sizeof whole);
    for (size_t cut = 0; cut < count; cut += 3) {
        write_bytes(whole, cut);
        refused(path, cut < 8 ? "not a PNG" : "cut off");
    }
    whole[count / 2] ^= 0x55; /* and one with a byte changed */
    write_bytes(whole, count);
    refused(path, "damaged");
}
END_TEST

START_TEST(other_files_are_refused_with_a_reason)
{
    write_bytes("GIF89a, or so it says", 21);
    refused(path, "not a PNG");
    refused("/nowhere/at all.png", "No such file");
    refused(folder, "Is a directory");
}
END_TEST

/* A header is all it takes to ask for 16 GB. */
START_TEST(huge_and_zero_sizes_are_refused)
{
    uint8_t head[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13, 'I', 'H', 'D', 'R', 0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff, 8, 6,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 'I', 'D', 'A', 'T', 0, 0, 0, 0};
    const uint8_t sizes[2][2] = {{0xff, 0xff}, {0, 0}};
    for (int s = 0; s < 2; s++) {
        memcpy(head + 18, sizes[s], 2);
        png_uint_32 crc = 0xffffffffu; /* as the PNG specification's annex D has it */
        for (int i = 12; i < 29; i++) {
            crc ^= head[i];
            for (int bit = 0; bit < 8; bit++)
                crc = crc & 1 ? 0xedb88320u ^ (crc >> 1) : crc >> 1;
        }
        crc ^= 0xffffffffu;
        for (int i = 0; i < 4; i++)
            head[29 + i] = (uint8_t)(crc >> (24 - 8 * i));
        write_bytes(head, sizeof head);
        refused(path, s == 0 ? "too many" : "damaged");
    }
}
END_TEST

START_TEST(no_half_file_is_left_where_writing_fails)
{
    const uint8_t rgba[4] = {1, 2, 3, 4};
    picture_trouble trouble = {""};
    char there[160];
    snprintf(there, sizeof there, "%s/no/such/folder.png", folder);
    ck_assert(!picture_write(there, rgba, 1, 1, &trouble));
    ck_assert_ptr_nonnull(strstr(trouble.text, "No such file"));
    ck_assert(!picture_write(folder, rgba, 1, 1, &trouble)); /* a folder has that name already */
    ck_assert_ptr_nonnull(strstr(trouble.text, "directory"));
    snprintf(there, sizeof there, "%s.part", folder);
    ck_assert_int_ne(access(there, F_OK), 0);
}
END_TEST

static picture plain(uint32_t width, uint32_t height, uint8_t red, uint8_t alpha)
{
    picture image;
    ck_assert(picture_create(width, height, &image));
    for (size_t i = 0; i < (size_t)width * height; i++) {
        image.rgba[4 * i] = red;
        image.rgba[4 * i + 3] = alpha;
    }
    return image;
}

START_TEST(an_even_picture_stays_even_in_every_size)
{
    const uint32_t sizes[][2] = {{1, 1}, {3, 50}, {64, 64}, {17, 5}, {200, 130}};
    picture image = plain(23, 31, 201, 100);
    for (int s = 0; s < 5; s++) {
        picture scaled;
        ck_assert(picture_scale(&image, sizes[s][0], sizes[s][1], &scaled));
        for (uint32_t y = 0; y < scaled.height; y++)
            for (uint32_t x = 0; x < scaled.width; x++)
                pixel_is(&scaled, x, y, 201, 0, 0, 100);
        picture_free(&scaled);
    }
    picture_free(&image);
}
END_TEST

START_TEST(scaling_keeps_left_left_and_hides_what_is_transparent)
{
    picture image = plain(40, 20, 255, 0); /* red, but invisible */
    for (uint32_t y = 0; y < 20; y++)
        for (uint32_t x = 0; x < 20; x++) {
            uint8_t *p = image.rgba + 4 * (y * 40 + x);
            p[0] = 0;
            p[1] = 90;
            p[3] = 255;
        }
    picture scaled;
    ck_assert(picture_scale(&image, 10, 5, &scaled));
    pixel_is(&scaled, 1, 2, 0, 90, 0, 255);
    pixel_is(&scaled, 4, 2, 0, 90, 0, scaled.rgba[4 * (2 * 10 + 4) + 3]); /* the edge thins out, but does not redden */
    ck_assert_int_eq(scaled.rgba[4 * (2 * 10 + 8) + 3], 0);
    picture_free(&scaled);
    picture_free(&image);
}
END_TEST

START_TEST(same_size_is_the_same_picture)
{
    picture image = plain(9, 9, 0, 255), scaled;
    for (size_t i = 0; i < 81; i++)
        image.rgba[4 * i + 1] = (uint8_t)(i * 3);
    ck_assert(picture_scale(&image, 9, 9, &scaled));
    ck_assert_int_eq(memcmp(image.rgba, scaled.rgba, 4 * 81), 0);
    picture_free(&scaled);
    picture_free(&image);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("examples/picture");
    TCase *cases = tcase_create("promises");
    tcase_add_checked_fixture(cases, make_folder, remove_folder);
    tcase_add_test(cases, reads_palettes_with_transparent_entries);
    tcase_add_test(cases, reads_one_bit_grey);
    tcase_add_test(cases, reads_sixteen_bit_colour_with_alpha);
    tcase_add_test(cases, reads_grey_with_alpha);
    tcase_add_test(cases, reads_interlaced_files);
    tcase_add_test(cases, what_was_written_is_read_back);
    tcase_add_test(cases, a_file_cut_off_anywhere_is_refused);
    tcase_add_test(cases, other_files_are_refused_with_a_reason);
    tcase_add_test(cases, huge_and_zero_sizes_are_refused);
    tcase_add_test(cases, no_half_file_is_left_where_writing_fails);
    tcase_add_test(cases, an_even_picture_stays_even_in_every_size);
    tcase_add_test(cases, scaling_keeps_left_left_and_hides_what_is_transparent);
    tcase_add_test(cases, same_size_is_the_same_picture);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
