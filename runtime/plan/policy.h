/* policy.h - what a policy is asked: an order of all tasks and a lane for each. Policies know neither waits nor frames. */
#ifndef WEIR_PLAN_POLICY_H
#define WEIR_PLAN_POLICY_H

#include "graph/dag.h"
#include "plan/bands.h"
#include "plan/work.h"

typedef struct {
    const weir_dag *dag;
    const weir_work *work;
    const weir_bands *bands;
    const double *tail_ns; /* task -> the costliest path that starts with it */
} weir_policy_input;

/* Fills `order` (position -> task, topological) and `lane` (task -> a lane of its band). Deterministic. WEIR_ERR_NO_MEMORY. */
typedef weir_status weir_place_fn(const weir_policy_input *in, uint32_t *order, uint16_t *lane);

typedef struct {
    const char *name;
    weir_place_fn *place;
} weir_policy;

/* The policy of that name (NULL: the default), unless WEIR_POLICY names another. WEIR_ERR_INVALID names the known ones. */
weir_status weir_policy_find(const char *name, const weir_policy **out);
const weir_policy *weir_policy_named(const char *name); /* whatever WEIR_POLICY says; NULL: none */

#endif
