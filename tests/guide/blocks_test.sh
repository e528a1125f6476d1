#!/usr/bin/env bash
# blocks_test.sh AROUND COMPILER ARGUMENT... - what blocks.sh promises: it finds every block, and each way for one to be wrong.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
around=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

# says STATUS "PART OF WHAT IT SAYS" COMPILER...: blocks.sh on standard input as doc.md.
says() {
    local want=$1 part=$2 said got
    shift 2
    cat >doc.md
    said=$(bash "$here/blocks.sh" doc.md "$around" none "$@" 2>&1)
    got=$?
    if [ $got -ne "$want" ] || ! grep -qF -- "$part" <<<"$said"; then
        echo "wrong: exit status $got, not $want, or not '$part' in: $said" >&2
        failures=$((failures + 1))
    fi
}

cat >right.c <<'END'
#include <stdio.h>
int main(void)
{
    return printf("whole\n") < 0;
}
END
program=$(cat right.c)

says 0 "2 C blocks run, 0 CUDA blocks compiled, 0 wrong" "$@" <<END
<!-- right.c -->
\`\`\`c
$program
\`\`\`
prints
\`\`\`
whole
\`\`\`
\`\`\`cuda
not compiled here
\`\`\`
\`\`\`c
printf("%u tasks\n", weir_graph_task_count(graph));
\`\`\`
\`\`\`
0 tasks
\`\`\`
END
says 1 "doc.md:1: does not print what" "$@" <<END
\`\`\`c
$program
\`\`\`
\`\`\`
hole
\`\`\`
END
says 1 "doc.md:2: the block is not right.c" "$@" <<END
<!-- right.c -->
\`\`\`c
${program/whole/hole}
\`\`\`
\`\`\`
hole
\`\`\`
END
says 1 "no output follows the C block of line 1" "$@" <<END
\`\`\`c
$program
\`\`\`
END
says 1 "no output follows the C block of line 1" "$@" <<END
\`\`\`c
$program
\`\`\`
\`\`\`c
$program
\`\`\`
\`\`\`
whole
\`\`\`
END
says 1 "output without a C block" "$@" <<<$'```\nwhole\n```'
says 1 "the last block has no end" "$@" <<<$'```c\nint x;'
says 1 'language "C"' "$@" <<<$'```C\nint x;\n```'
says 1 "a link leads nowhere: gone.c" "$@" <<<'[here](right.c), [there](gone.c#part), [far](https://example.org)'
says 1 "no C block found" "$@" <<<"words"
says 1 "doc.md:2:5: error: unused variable" "$@" <<<$'```c\nint unused;\n```\n```\n```'
says 1 "doc.md:1: fails, after said" "$@" <<<$'```c\nputs("said");\nexit(3);\n```\n```\nsaid\n```'
[ $failures -eq 0 ]
