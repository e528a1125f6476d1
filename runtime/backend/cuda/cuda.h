/* cuda.h - the CUDA backend: one GPU, through the CUDA runtime API. */
#ifndef WEIR_BACKEND_CUDA_CUDA_H
#define WEIR_BACKEND_CUDA_CUDA_H

#include "backend/backend.h"

extern const weir_backend_ops weir_cuda_backend;

#endif
