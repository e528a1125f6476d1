/* name.h - file names for the second and further of what one variable names. */
#ifndef WEIR_OBSERVE_NAME_H
#define WEIR_OBSERVE_NAME_H

/* "out/dag.dot", 2 -> "out/dag-2.dot"; 1 is the path itself. The caller's, to weir_free. NULL: no memory. */
char *weir_numbered_name(const char *path, unsigned number);

#endif
