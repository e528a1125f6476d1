/* policy.c - the table of policies. A new one is a file with a function weir_place_NAME, and its name in the list. */
#include "plan/policy.h"
#include "util/settings.h"
#include <string.h>

/* The first is the default. */
#define POLICIES(use) use(priority) use(round_robin)

#define DECLARE(name) extern weir_place_fn weir_place_##name;
#define ENTRY(name) {#name, weir_place_##name},
#define NAME(name) #name,

POLICIES(DECLARE)
static const weir_policy policies[] = {POLICIES(ENTRY)};
static const char *const names[] = {POLICIES(NAME) NULL};

const weir_policy *weir_policy_named(const char *name)
{
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        if (strcmp(policies[i].name, name) == 0)
            return &policies[i];
    return NULL;
}

weir_status weir_policy_find(const char *name, const weir_policy **out)
{
    const char *chosen = name ? name : names[0];
    weir_status status = weir_settings_choice("WEIR_POLICY", "policy", names, &chosen);
    if (status == WEIR_OK)
        *out = weir_policy_named(chosen);
    return status;
}
