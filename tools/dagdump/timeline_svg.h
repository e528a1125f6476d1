/* timeline_svg.h - a timeline as SVG. */
#ifndef DAGDUMP_TIMELINE_SVG_H
#define DAGDUMP_TIMELINE_SVG_H

#include "timeline.h"
#include <stdio.h>

/* `why`: what is said below the title of the frames' bound; NULL: nothing. Looks at no errors of the stream: whoever closes it does. */
void timeline_svg(const timeline *t, const char *why, FILE *to);

#endif
