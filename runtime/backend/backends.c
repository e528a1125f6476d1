/* backends.c - the list of backends. */
#include "backend/backend.h"
#include "backend/host/host.h"
#ifdef WEIR_HAVE_CUDA
#include "backend/cuda/cuda.h"
#endif

const weir_backend_ops *const weir_backends[] = {
#ifdef WEIR_HAVE_CUDA
    &weir_cuda_backend,
#endif
    &weir_host_backend,
    NULL,
};
