/* host.h - the host backend: threads of this process. */
#ifndef WEIR_BACKEND_HOST_HOST_H
#define WEIR_BACKEND_HOST_HOST_H

#include "backend/backend.h"

extern const weir_backend_ops weir_host_backend;

#endif
