/* compare_frames.c - compare_frames A.png B.png DIFFERENCE PERCENT: succeeds if at least so many percent of the pixels differ by at
 * least DIFFERENCE of 255 in some channel, and prints how many do. For the scripts beside it. */
#include <stdio.h>
#include <stdlib.h>
#include "picture.h"

static int differs(const uint8_t *a, const uint8_t *b, long least)
{
    for (int c = 0; c < 3; c++)
        if (abs(a[c] - b[c]) >= least)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    picture image[2];
    picture_trouble trouble;
    if (argc != 5)
        return 2;
    long least = strtol(argv[3], NULL, 10);
    double wanted = strtod(argv[4], NULL);
    for (int i = 0; i < 2; i++)
        if (!picture_read(argv[1 + i], &image[i], &trouble)) {
            fprintf(stderr, "compare_frames: %s: %s\n", argv[1 + i], trouble.text);
            return 2;
        }
    if (image[0].width != image[1].width || image[0].height != image[1].height)
        return 2;
    size_t cells = (size_t)image[0].width * image[0].height, count = 0;
    for (size_t i = 0; i < cells; i++)
        count += (size_t)differs(image[0].rgba + 4 * i, image[1].rgba + 4 * i, least);
    double percent = 100.0 * (double)count / (double)cells;
    printf("%.1f %% of the pixels differ by at least %s\n", percent, argv[3]);
    picture_free(&image[0]);
    picture_free(&image[1]);
    return percent >= wanted ? 0 : 1;
}
