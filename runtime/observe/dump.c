/* dump.c - names the files that WEIR_DUMP asks for. */
#include "observe/dump.h"
#include "observe/draw.h"
#include "observe/name.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/settings.h"
#include "util/status.h"
#include "weir/observe.h"
#include <stdatomic.h>
#include <string.h>

weir_status weir_dump_if_asked(const weir_plan *plan)
{
    static atomic_uint dumped;
    const char *path = weir_settings_text("WEIR_DUMP"), *format = NULL;
    if (!path)
        return WEIR_OK;
    weir_status status = weir_format_of(path, &format);
    if (status != WEIR_OK)
        return weir_fail(WEIR_ERR_INVALID, "WEIR_DUMP=%s: the name must end in .json, .dot, .gv or .txt", path);
    char *name = weir_numbered_name(path, atomic_fetch_add(&dumped, 1) + 1);
    if (!name)
        return weir_fail_no_memory();
    status = weir_save(name, format, NULL, plan);
    if (status == WEIR_OK)
        weir_log(WEIR_LOG_INFO, "wrote the plan to %s", name);
    weir_free(name);
    return status;
}
