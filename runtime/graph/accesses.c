/* accesses.c - sorts by counting. */
#include "graph/accesses.h"

bool weir_accesses_create(const weir_body *body, weir_accesses *out)
{
    weir_accesses made = {
        .first = weir_alloc(body->buffers.count + 2u, sizeof *made.first),
        .at = weir_alloc(body->args.count, sizeof *made.at),
    };
    if (!made.first || !made.at) {
        weir_accesses_finish(&made);
        return false;
    }
    uint32_t *next = made.first + 1; /* ahead by one while filling, so that it ends as it should begin */
    for (uint32_t i = 0; i < body->args.count; i++)
        if (weir_arg_is_access(&body->args.at[i]))
            next[body->args.at[i].index + 1]++;
    for (uint32_t b = 0; b < body->buffers.count; b++)
        next[b + 1] += next[b];
    for (uint32_t t = 0; t < body->tasks.count; t++) {
        const weir_task_record *task = &body->tasks.at[t];
        for (int writes = 0; writes < 2; writes++)
            for (uint32_t i = task->arg_first; i < task->arg_first + task->arg_count; i++) {
                const weir_arg_record *arg = &body->args.at[i];
                if (weir_arg_is_access(arg) && weir_arg_writes(arg) == (writes == 1))
                    made.at[next[arg->index]++] = (weir_access){t, i};
            }
    }
    *out = made;
    return true;
}

void weir_accesses_finish(weir_accesses *accesses)
{
    weir_free(accesses->first);
    weir_free(accesses->at);
    *accesses = (weir_accesses){NULL, NULL};
}
