/* with_cuda.c - a program of a user in C that needs weir/cuda.h: it asks for the code of what is no kernel, and says that there is none. */
#include <stdio.h>
#include <weir/cuda.h>
#include <weir/weir.h>

int main(void)
{
    static const char no_kernel = 0;
    printf("weir %s: %s\n", weir_version(), weir_cuda_kernel(&no_kernel) ? "a kernel" : "no kernel");
    return 0;
}
