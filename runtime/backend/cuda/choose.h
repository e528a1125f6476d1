/* choose.h - mode auto: which way of replaying is fastest, found out with the program's own frames. */
#ifndef WEIR_BACKEND_CUDA_CHOOSE_H
#define WEIR_BACKEND_CUDA_CHOOSE_H

#include "backend/cuda/device.h"
#include "backend/cuda/slot.h"

/* Says what there is to choose among. Of programs whose tasks may be refused when their graph is made, that is made at once. */
weir_status weir_cuda_choice_make(weir_program *program);
void weir_cuda_choice_finish(weir_program *program); /* NULL and half-made are fine */

/* By whoever submits. */
slot *weir_cuda_choice_next(weir_program *program, flight *f, const weir_frame_values *values); /* what the frame is launched as; NULL: lane by lane */
/* Round a slot's launch. */
void weir_cuda_choice_begin(const weir_program *program, const flight *f);
void weir_cuda_choice_end(const weir_program *program, const flight *f);
/* A frame was launched lane by lane, which took the host so long. */
void weir_cuda_choice_launched(weir_program *program, int64_t ns);

/* A slot's graph was made anew; by whoever submits. */
void weir_cuda_choice_remade(const weir_program *program, const slot *s);
/* What a loop leaves stands by the slot's number, so of all candidates' slots of a number one at a time is used. True where there is no choice. */
bool weir_cuda_choice_is_free(const weir_program *program, uint32_t slot_number, uint64_t frame);

/* The frame has ended; under `telling`. */
void weir_cuda_choice_note(weir_program *program, flight *f);

uint32_t weir_cuda_candidates(const weir_program *program, weir_candidate *out, uint32_t room);
bool weir_cuda_choice_is_open(const weir_program *program);

#endif
