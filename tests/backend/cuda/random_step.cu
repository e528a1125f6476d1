/* random_step.cu - the device twin of the kernels in run/random_program.c: one thread block or many, it computes what random_step.h says. */
#include "run/random_step.h"
#include "weir/cuda.h"

/* What should have been waited for, and was not, is not there yet or is gone by then. */
static __device__ void let_go_by(uint32_t clocks)
{
    long long start = clock64();
    while (clock64() - start < (long long)clocks)
        ;
}

static __device__ uint32_t sum_of_part(const random_code *code, uint32_t *const *base)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < code->access_count; i++)
        for (uint32_t c = threadIdx.x; code->cells[i].mode == WEIR_ARG_READ && c < random_cell_count(&code->cells[i]); c += blockDim.x) {
            uint32_t e = random_element(&code->cells[i], c);
            sum += random_read(i, e, base[i][e]);
        }
    return sum;
}

static __device__ void write_part(const random_code *code, uint32_t *const *base, uint32_t sum)
{
    for (uint32_t i = 0; i < code->access_count; i++) {
        const random_cells *cells = &code->cells[i];
        for (uint32_t c = threadIdx.x; cells->mode != WEIR_ARG_READ && c < random_cell_count(cells); c += blockDim.x) {
            uint32_t e = random_element(cells, c);
            if (e % code->blocks != blockIdx.x)
                continue;
            if (cells->mode == WEIR_ARG_REDUCE)
                atomicAdd(&base[i][e], random_written(cells, sum, e, 0));
            else if (cells->mode == WEIR_ARG_READ_WRITE)
                base[i][e] = random_written(cells, sum, e, base[i][e]);
            else
                base[i][e] = random_written(cells, sum, e, 0);
        }
    }
}

static __device__ void step(const random_code *code, uint32_t frame, uint32_t other, uint32_t *const *base)
{
    __shared__ uint32_t sum;
    let_go_by(code->delay);
    if (threadIdx.x == 0)
        sum = random_start(code, frame, other);
    __syncthreads();
    atomicAdd(&sum, sum_of_part(code, base));
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        atomicAdd(&code->seen[random_slot(code, frame)], sum);
    write_part(code, base, sum);
}

extern "C" __global__ void random_step_device(random_code code, uint32_t frame, uint32_t other, uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    uint32_t *const base[ACCESSES_MOST] = {a, b, c, d};
    step(&code, frame, other, base);
}

/* Lets those that wait for it be launched at once, and waits itself for those before. */
extern "C" __global__ void random_early_device(random_code code, uint32_t frame, uint32_t other, uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    uint32_t *const base[ACCESSES_MOST] = {a, b, c, d};
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
    step(&code, frame, other, base);
}

extern "C" const void *random_step_resolve(void)
{
    return weir_cuda_kernel(reinterpret_cast<const void *>(random_step_device));
}

extern "C" const void *random_early_resolve(void)
{
    return weir_cuda_kernel(reinterpret_cast<const void *>(random_early_device));
}
