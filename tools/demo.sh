#!/usr/bin/env bash
# demo.sh - builds weir, turns a picture into smoke, and leaves in out/fluid/ the frames, one sheet of them, the plan as a drawing and a
# trace of the run.
#     tools/demo.sh [options for fluid ...]     as in: tools/demo.sh --input my.png --frames 60; see build/demo/examples/fluid --help
# Installs missing packages where it may, builds in build/demo, and can be run from any folder and again.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$top/tools/setup.sh"

need_packages build-essential cmake pkg-config uthash-dev libpng-dev libjansson-dev graphviz

build=$top/build/demo
configure "$build" -S "$top" -DCMAKE_BUILD_TYPE=Release -DWEIR_TESTS=OFF
cmake --build "$build" -j "$(jobs_to_build_with)" >"$build/build.log" 2>&1 || {
    cat "$build/build.log" >&2
    fail "could not build, see above"
}
fluid=$build/examples/fluid dagdump=$build/tools/dagdump

out=$top/out/fluid
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
rm -f "$out"/*.png "$out"/dag.dot "$out"/dag.svg "$out"/trace.json

# The plan is drawn from a run of its own: WEIR_DUMP writes one format at a time. The first plan is the frame's.
WEIR_DUMP=$work/dag.json "$fluid" "$@" --frames 1 --output none >/dev/null || fail "fluid did not run, see above"
"$dagdump" -o "$out/dag.svg" "$work/dag.json" || fail "could not draw the plan, see above"
WEIR_DUMP=$work/dag.dot WEIR_TRACE=$out/trace.json "$fluid" "$@" --output "$out" | tee "$work/said" || fail "fluid did not run, see above"
# On CUDA that was a replay, launched as a whole; an eager run tells what each task takes.
grep -q '^group' "$work/said" || "$fluid" "$@" --mode eager --output none || fail "fluid did not run, see above"
mv "$work/dag.dot" "$out/dag.dot"

frames=("$out"/frame-*.png)
printf '\nIn %s:\n' "$out"
printf '  %-36s %s\n' "${frames[0]##*/} ... ${frames[-1]##*/}" "the frames" \
    contact.png "all of them on one sheet" \
    "dag.svg, dag.dot" "the plan: lanes as colours, waits dashed, the critical path bold" \
    trace.json "the run; open it in https://ui.perfetto.dev"
