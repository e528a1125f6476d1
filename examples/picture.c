/* picture.c - libpng reports errors by a long jump. Each of reading and writing keeps all it has taken in one struct that its
 * caller releases, so that the function jumped into has no local variables that matter. */
#include "picture.h"
#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void on_error(png_structp png, png_const_charp text)
{
    picture_trouble *trouble = png_get_error_ptr(png);
    if (!trouble->text[0])
        snprintf(trouble->text, sizeof trouble->text, "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text; /* odd chunks do not keep anybody from looking at a picture */
}

static bool fail(picture_trouble *trouble, const char *doing, int error, const char *advice)
{
    char reason[128] = "unknown error";
    if (strerror_r(error, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", error);
    snprintf(trouble->text, sizeof trouble->text, "%s: %s%s", doing, reason, advice);
    return false;
}

bool picture_create(uint32_t width, uint32_t height, picture *out)
{
    uint8_t *rgba = calloc((size_t)width * height, 4);
    if (!rgba)
        return false;
    *out = (picture){width, height, rgba};
    return true;
}

void picture_free(picture *image)
{
    free(image->rgba);
    *image = (picture){0, 0, NULL};
}

typedef struct {
    FILE *file;
    png_structp png;
    png_infop info;
    png_bytep *rows;
    picture image;
    picture_trouble trouble; /* libpng's own words */
} reader;

static bool read_header(reader *r)
{
    png_init_io(r->png, r->file);
    png_set_user_limits(r->png, 0x7fffffff, 0x7fffffff); /* refused below, in words of ours */
    png_read_info(r->png, r->info);
    uint32_t width = png_get_image_width(r->png, r->info), height = png_get_image_height(r->png, r->info);
    if (width > PICTURE_SIDE_MAX || height > PICTURE_SIDE_MAX || (uint64_t)width * height > PICTURE_PIXELS_MAX) {
        snprintf(r->trouble.text, sizeof r->trouble.text,
            "%u x %u pixels are too many: at most %d a side and %d in all; scale it down first", width, height, PICTURE_SIDE_MAX,
            PICTURE_PIXELS_MAX);
        return false;
    }
    return true;
}

/* Whatever the file holds, rows come as 4 bytes a pixel. */
static void ask_for_rgba(reader *r)
{
    png_set_expand(r->png); /* palette, less than 8 bits, transparent colour */
    png_set_scale_16(r->png);
    png_set_gray_to_rgb(r->png);
    png_set_add_alpha(r->png, 255, PNG_FILLER_AFTER);
    png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
}

static bool read_pixels(reader *r)
{
    uint32_t width = png_get_image_width(r->png, r->info), height = png_get_image_height(r->png, r->info);
    r->rows = calloc(height, sizeof *r->rows);
    if (!r->rows || !picture_create(width, height, &r->image)) {
        snprintf(r->trouble.text, sizeof r->trouble.text, "no memory for %u x %u pixels; scale it down first", width, height);
        return false;
    }
    for (uint32_t y = 0; y < height; y++)
        r->rows[y] = r->image.rgba + (size_t)y * width * 4;
    png_read_image(r->png, r->rows);
    png_read_end(r->png, NULL);
    return true;
}

static bool read_with_libpng(reader *r)
{
    r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r->trouble, on_error, on_warning);
    r->info = r->png ? png_create_info_struct(r->png) : NULL;
    if (!r->info) {
        snprintf(r->trouble.text, sizeof r->trouble.text, "no memory");
        return false;
    }
    if (setjmp(png_jmpbuf(r->png)))
        return false;
    if (!read_header(r))
        return false;
    ask_for_rgba(r);
    return read_pixels(r);
}

/* Messages of ours say what to do already; libpng's need a word for people. */
static void explain(const char *what, picture_trouble *out)
{
    if (strstr(what, "; "))
        snprintf(out->text, sizeof out->text, "%s", what);
    else
        snprintf(out->text, sizeof out->text, "damaged or cut off (%.160s); get it again", what);
}

bool picture_read(const char *path, picture *out, picture_trouble *trouble)
{
    reader r = {0};
    r.file = fopen(path, "rb");
    if (!r.file)
        return fail(trouble, "cannot open it", errno, "; check the path");
    uint8_t signature[8] = {0};
    bool done = false;
    errno = 0;
    if (fread(signature, 1, sizeof signature, r.file) < sizeof signature && ferror(r.file))
        fail(trouble, "cannot read it", errno, "; give a PNG file");
    else if (png_sig_cmp(signature, 0, sizeof signature) != 0)
        snprintf(trouble->text, sizeof trouble->text, "not a PNG file; convert it to PNG first");
    else {
        rewind(r.file);
        done = read_with_libpng(&r);
        if (!done)
            explain(r.trouble.text, trouble);
    }
    png_destroy_read_struct(&r.png, &r.info, NULL);
    fclose(r.file);
    free(r.rows);
    if (done)
        *out = r.image;
    else
        picture_free(&r.image);
    return done;
}

/* One axis of scaling: entry i of the result is the weighted sum of entries first[i] .. first[i] + count[i] - 1. A box of the width of
 * one result pixel, but at least two pixels' triangle, so that growing interpolates. */
typedef struct {
    uint32_t *first, *count;
    float *weight; /* `most` an entry */
    uint32_t most;
} axis;

static void axis_free(axis *a)
{
    free(a->first);
    free(a->count);
    free(a->weight);
}

static float triangle(double distance, double reach)
{
    double part = 1.0 - (distance < 0.0 ? -distance : distance) / reach;
    return part > 0.0 ? (float)part : 0.0f;
}

static bool axis_make(uint32_t from, uint32_t to, axis *out)
{
    double ratio = (double)from / to, reach = ratio > 1.0 ? ratio : 1.0;
    axis a = {calloc(to, sizeof *a.first), calloc(to, sizeof *a.count), NULL, (uint32_t)(2.0 * reach) + 2};
    a.weight = calloc((size_t)to * a.most, sizeof *a.weight);
    if (!a.first || !a.count || !a.weight) {
        axis_free(&a);
        return false;
    }
    for (uint32_t i = 0; i < to; i++) {
        double centre = (i + 0.5) * ratio - 0.5;
        double low = centre - reach + 1.0; /* the first pixel that may count */
        a.first[i] = low > 0.0 ? (uint32_t)low : 0;
        float sum = 0.0f, *weight = a.weight + (size_t)i * a.most;
        for (uint32_t k = 0; k < a.most && a.first[i] + k < from; k++) {
            weight[k] = triangle(a.first[i] + k - centre, reach);
            sum += weight[k];
            a.count[i] = k + 1;
        }
        for (uint32_t k = 0; k < a.count[i]; k++)
            weight[k] /= sum;
    }
    *out = a;
    return true;
}

/* One row of the picture scaled in x: red, green, blue multiplied by alpha, then alpha. */
static void scale_row(const uint8_t *row, const axis *a, uint32_t width, float *out)
{
    for (uint32_t x = 0; x < width; x++) {
        float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        for (uint32_t k = 0; k < a->count[x]; k++) {
            const uint8_t *pixel = row + 4 * ((size_t)a->first[x] + k);
            float alpha = a->weight[(size_t)x * a->most + k] * (float)pixel[3];
            for (int c = 0; c < 3; c++)
                sum[c] += alpha * (float)pixel[c];
            sum[3] += alpha;
        }
        memcpy(out + 4 * (size_t)x, sum, sizeof sum);
    }
}

static uint8_t rounded(float value)
{
    return (uint8_t)(value < 255.0f ? value + 0.5f : 255.0f);
}

bool picture_scale(const picture *image, uint32_t width, uint32_t height, picture *out)
{
    axis across = {0}, down = {0};
    float *rows = calloc((size_t)image->height * width, 4 * sizeof *rows);
    picture scaled = {0};
    bool done = rows && axis_make(image->width, width, &across) && axis_make(image->height, height, &down) &&
        picture_create(width, height, &scaled);
    for (uint32_t y = 0; done && y < image->height; y++)
        scale_row(image->rgba + (size_t)y * image->width * 4, &across, width, rows + (size_t)y * width * 4);
    for (uint32_t y = 0; done && y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
            for (uint32_t k = 0; k < down.count[y]; k++)
                for (int c = 0; c < 4; c++)
                    sum[c] += down.weight[(size_t)y * down.most + k] * rows[(((size_t)down.first[y] + k) * width + x) * 4 + (size_t)c];
            uint8_t *pixel = scaled.rgba + ((size_t)y * width + x) * 4;
            for (int c = 0; c < 3 && sum[3] > 0.0f; c++)
                pixel[c] = rounded(sum[c] / sum[3]);
            pixel[3] = rounded(sum[3]);
        }
    free(rows);
    axis_free(&across);
    axis_free(&down);
    if (done)
        *out = scaled;
    return done;
}

typedef struct {
    FILE *file;
    png_structp png;
    png_infop info;
    const uint8_t *rgba;
    uint32_t width, height;
    int error; /* errno of the first write that failed */
    picture_trouble trouble;
} writer;

static void write_bytes(png_structp png, png_bytep data, size_t bytes)
{
    writer *w = png_get_io_ptr(png);
    if (fwrite(data, 1, bytes, w->file) != bytes) {
        w->error = errno;
        png_error(png, "write error");
    }
}

static void flush_bytes(png_structp png)
{
    (void)png; /* fclose does it */
}

static bool write_with_libpng(writer *w)
{
    w->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &w->trouble, on_error, on_warning);
    w->info = w->png ? png_create_info_struct(w->png) : NULL;
    if (!w->info) {
        w->error = ENOMEM;
        return false;
    }
    if (setjmp(png_jmpbuf(w->png)))
        return false;
    png_set_write_fn(w->png, w, write_bytes, flush_bytes);
    png_set_compression_level(w->png, 1);
    png_set_filter(w->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_IHDR(w->png, w->info, w->width, w->height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
        PNG_FILTER_TYPE_DEFAULT);
    png_write_info(w->png, w->info);
    png_set_filler(w->png, 0, PNG_FILLER_AFTER);
    for (uint32_t y = 0; y < w->height; y++)
        png_write_row(w->png, w->rgba + (size_t)y * w->width * 4);
    png_write_end(w->png, NULL);
    return true;
}

bool picture_write(const char *path, const uint8_t *rgba, uint32_t width, uint32_t height, picture_trouble *trouble)
{
    static const char suffix[] = ".part";
    char *part = malloc(strlen(path) + sizeof suffix);
    if (!part)
        return fail(trouble, "cannot write it", ENOMEM, "");
    strcpy(part, path);
    strcat(part, suffix);
    writer w = {.rgba = rgba, .width = width, .height = height};
    w.file = fopen(part, "wb");
    bool done = w.file && write_with_libpng(&w);
    int error = w.file ? w.error : errno;
    png_destroy_write_struct(&w.png, &w.info);
    if (w.file && fclose(w.file) != 0 && done) {
        error = errno;
        done = false;
    }
    if (done && rename(part, path) != 0) {
        error = errno;
        done = false;
    }
    if (!done) {
        if (w.file)
            unlink(part);
        fail(trouble, "cannot write it", error ? error : EIO, "; make room there, or choose another folder");
    }
    free(part);
    return done;
}
