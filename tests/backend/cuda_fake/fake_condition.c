/* fake_condition.c - condition.cu for the fake CUDA, and the device side of weir/decide.h. */
#include "../../../runtime/backend/cuda/condition.h"
#include "fake_cuda.h"

void fake_cuda_decide(weir_decision decision, int go_on)
{
    if (decision.kind == WEIR_DECISION_SETS)
        fake_cuda_set_conditional(decision.handle, weir_decision_count(&decision, go_on));
    else if (decision.kind == WEIR_DECISION_NOTED)
        weir_decision_note(&decision, go_on);
}

static void enter(const weir_blocks *blocks, void *const *args)
{
    const condition c = WEIR_PASSED(condition, args, 1);
    (void)blocks;
    fake_cuda_set_conditional(WEIR_PASSED(unsigned long long, args, 0), condition_enter(&c));
}

static void again(const weir_blocks *blocks, void *const *args)
{
    const condition c = WEIR_PASSED(condition, args, 1);
    (void)blocks;
    fake_cuda_set_conditional(WEIR_PASSED(unsigned long long, args, 0), condition_again(&c));
}

static const uint16_t bytes[] = {sizeof(unsigned long long), sizeof(condition)};

const void *weir_cuda_condition_enter(void)
{
    static const weir_kernel kernel = {"enter", NULL, NULL, enter, bytes, 2, 0};
    return fake_cuda_kernel(&kernel);
}

const void *weir_cuda_condition_again(void)
{
    static const weir_kernel kernel = {"again", NULL, NULL, again, bytes, 2, 0};
    return fake_cuda_kernel(&kernel);
}
