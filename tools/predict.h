/* predict.h - what a saved plan has in mind, as if it had been recorded. */
#ifndef TOOLS_PREDICT_H
#define TOOLS_PREDICT_H

#include "read_trace.h"
#include "weir/drawing.h"

/* The first `frames` frames of it, 1 and up. Names stay the drawing's, which is to outlive *out. On success *out is to be finished with
 * predicted_finish. As weir_drawing_predict. */
weir_status predict(const weir_drawing *plan, uint32_t frames, read_trace *out);
void predicted_finish(read_trace *trace);

#endif
