/* cuda_workloads.c - what dagbench measures on CUDA alone, by name; also where there is no CUDA, so that the names are known. */
#include "cuda_bench.h"
#include <string.h>

const cuda_workload cuda_workloads[CUDA_WORKLOADS] = {
    [CUDA_FLUID_KERNELS] = {CUDA_FLUID_KERNELS, "fluid-kernels", "the smoke of examples/fluid, 1024 x 1024", false},
    [CUDA_PROGRAMMATIC] = {CUDA_PROGRAMMATIC, "programmatic", "a chain of kernels that let the next one start early", true},
    [CUDA_WHILE] = {CUDA_WHILE, "while", "a loop that is decided on the device, --tasks rounds of a short kernel", true},
    [CUDA_FFT] = {CUDA_FFT, "fft", "cuFFT forward and back as a native task, on three sizes of grid", false},
    [CUDA_FRAMES_TWO] = {CUDA_FRAMES_TWO, "frames-two", "two frames in flight of two kernels of 20 us", false},
    [CUDA_FRAMES_THREE] = {CUDA_FRAMES_THREE, "frames-three", "three frames in flight of upload, kernel and download", false},
    [CUDA_FRAMES_FLUID] = {CUDA_FRAMES_FLUID, "frames-fluid", "the smoke of examples/fluid, 1920 x 1080, one to three frames in flight, against its bound", false},
    [CUDA_FRAMES_COST] = {CUDA_FRAMES_COST, "frames-cost", "what a frame costs the host, and an edge between frames costs a frame", false},
};

const cuda_workload *cuda_workload_find(const char *name)
{
    for (int i = 0; i < CUDA_WORKLOADS; i++)
        if (strcmp(cuda_workloads[i].name, name) == 0)
            return &cuda_workloads[i];
    return NULL;
}
