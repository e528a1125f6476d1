/* print.h - figures on standard output: as a table, or as a JSON object for each. */
#ifndef DAGBENCH_PRINT_H
#define DAGBENCH_PRINT_H

#include "measure.h"
#include <stdint.h>

void print_heading(void);
void print_row(const char *name, uint32_t tasks, const figures *f);  /* "-" for OpenMP where there is none */
void print_json(const char *name, uint32_t tasks, const figures *f); /* no line for OpenMP where there is none */

#endif
