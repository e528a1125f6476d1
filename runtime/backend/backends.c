/* backends.c - the list of backends. */
#include "backend/backend.h"
#include "backend/host/host.h"

const weir_backend_ops *const weir_backends[] = {
    &weir_host_backend,
    NULL,
};
