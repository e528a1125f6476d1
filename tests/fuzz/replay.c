/* replay.c FOLDER - a fuzz target's texts again, without a fuzzer. */
#include "try.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    int texts = 0;
    if (!folder) {
        fprintf(stderr, "replay: %s: cannot be opened; give the folder of a corpus\n", argc == 2 ? argv[1] : "no folder");
        return EXIT_FAILURE;
    }
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char path[4096];
        const char *name = NULL;
        size_t bytes = 0;
        read_error error;
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        char *text = read_load(path, &name, &bytes, &error);
        if (!text) {
            fprintf(stderr, "replay: %s\n", error.text);
            return EXIT_FAILURE;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)text, bytes);
        free(text);
        texts++;
    }
    closedir(folder);
    printf("%d texts\n", texts);
    return texts > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
