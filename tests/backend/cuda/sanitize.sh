#!/bin/sh
# sanitize.sh WHAT TOOL PROGRAM - compute-sanitizer's TOOL (memcheck, initcheck) over a small run of the fluid example, or over a hundred random
# programs without loops and branches. Fails if the tool finds anything, or if the program fails by itself. Skipped (77) where there is no such tool or no device.
set -u
what=$1 tool=$2 program=$3
sanitizer=$(command -v compute-sanitizer || ls "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer" 2>/dev/null) || {
    echo "skipped: no compute-sanitizer"
    exit 77
}
nvidia-smi -L 2>/dev/null | grep -q 'GPU 0' || {
    echo "skipped: no CUDA device"
    exit 77
}
unset WEIR_LANES WEIR_WORKERS WEIR_POLICY WEIR_BACKEND WEIR_MODE WEIR_SHUFFLE WEIR_DEBUG WEIR_DUMP WEIR_TRACE
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

# checked command...: the tool's summary has to be there and to say that there was nothing.
checked() {
    "$sanitizer" --tool "$tool" --error-exitcode 99 "$@" >"$log" 2>&1
    status=$?
    tail -n 40 "$log"
    if [ $status -ne 0 ]; then
        echo "FAILED: exit status $status: $tool $*" >&2
        exit 1
    fi
    grep -q 'ERROR SUMMARY: 0 errors' "$log" || {
        echo "FAILED: no summary without errors: $tool $*" >&2
        exit 1
    }
}

case $what in
fluid)
    for mode in eager replay; do
        checked "$program" --frames 3 --size 128x128 --output none --backend cuda --mode $mode
    done
    ;;
random)
    WEIR_TEST_LOOPS=0 # with conditional nodes the tool's own code makes accesses that are not allowed (13.0, also without weir)
    WEIR_TEST_PROGRAMS=20
    export WEIR_TEST_PROGRAMS WEIR_TEST_LOOPS
    for WEIR_TEST_SEED in 1 21 41 61 81; do # the tool grows slower with each graph that it has seen
        export WEIR_TEST_SEED
        checked "$program"
    done
    ;;
*)
    echo "FAILED: no such case: $what" >&2
    exit 2
    ;;
esac
exit 0
