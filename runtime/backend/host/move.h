/* move.h - copies and fills as work that can be cut into blocks: a block is a piece of a row of bytes. */
#ifndef WEIR_BACKEND_HOST_MOVE_H
#define WEIR_BACKEND_HOST_MOVE_H

#include "graph/body.h"

/* Number of blocks of a copy or fill task. */
uint64_t weir_host_move_blocks(const weir_body *body, const weir_task_record *task);

/* Does blocks first .. first + count - 1; args as for a kernel, destination first. */
void weir_host_move(const weir_body *body, const weir_task_record *task, void *const *args, uint64_t first, uint64_t count);

#endif
