/* read_dot_absent.c - stands in for read_dot.c where graphviz's library was not there to build with. */
#include "read_format.h"

bool read_dot(const read_input *in)
{
    return read_fail(
        in, 1,
        "this is DOT, and dagdump was built without graphviz's libcgraph; build it with (Debian: apt-get install libgraphviz-dev), "
        "or give the graph as .stg");
}
