/* devices.c - dagdump devices: what weir can run on here, and why not on the rest. */
#include "dagdump/dagdump.h"
#include "weir/run.h"
#include <inttypes.h>
#include <stdio.h>

int dagdump_devices(int argc, char **argv)
{
    if (argc > 0)
        return dagdump_fail(DAGDUMP_USAGE, "'%s' is one argument too many; dagdump devices takes none", argv[0]);
    weir_device_info info;
    printf("%-8s %-9s %5s %7s  %-10s %s\n", "backend", "available", "lanes", "workers", "priorities", "device");
    for (uint32_t i = 0; weir_device_get(i, &info) == WEIR_OK; i++) {
        if (!info.available) {
            printf("%-8s %-9s %5s %7s  %-10s %s\n", info.backend, "no", "-", "-", "-", info.device[0] ? info.device : "-");
            printf("%8s why not: %s\n", "", info.why_not);
            continue;
        }
        char priorities[32];
        snprintf(priorities, sizeof priorities, "%" PRId32 " to %" PRId32, info.priority_urgent, info.priority_relaxed);
        printf("%-8s %-9s %5" PRIu32 " %7" PRIu32 "  %-10s %s\n", info.backend, "yes", info.lanes, info.workers, priorities, info.device);
    }
    puts("\npriorities: the most urgent (lowest) to the most relaxed that lanes can have; tasks of any priority run everywhere");
    return fflush(stdout) == 0 ? DAGDUMP_OK : dagdump_fail(DAGDUMP_BAD_INPUT, "standard output cannot be written");
}
