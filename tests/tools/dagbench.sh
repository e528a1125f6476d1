#!/usr/bin/env bash
# dagbench.sh DAGBENCH DATA OPENMP - what its command line and its output promise. DATA: tests/data; OPENMP: 1 if it was built with OpenMP.
set -uo pipefail
dagbench=$1 data=$2 openmp=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset WEIR_LANES WEIR_WORKERS WEIR_POLICY WEIR_MODE
export WEIR_BACKEND=host
failures=0

wrong() {
    echo "wrong: $*" >&2
    failures=$((failures + 1))
}

# exits STATUS "PART OF STANDARD ERROR, or nothing" ARGUMENT...
exits() {
    local want=$1 part=$2 got
    shift 2
    "$dagbench" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$want" ] || wrong "dagbench $*: exit status $got, not $want"
    [ "$want,$(cat "$work/err")" = "0,$part" ] || grep -qF -- "$part" "$work/err" || wrong "dagbench $*: says '$(cat "$work/err")', not '$part'"
    [ "$want" -eq 0 ] || [ "$(grep -c '^dagbench: ' "$work/err")" -eq 1 ] || wrong "dagbench $*: not one line 'dagbench: ...'"
}

# Four metrics a workload, five with OpenMP, each a JSON object with the keys that readers expect, in one order.
workloads="chain forks wavefront layers fluid accesses boxes"
metrics="declare_ns_per_task plan_ns_per_task run_ns_per_task bytes_per_task"
[ "$openmp" -eq 0 ] || metrics="$metrics openmp_ns_per_task"
lines=$(($(wc -w <<<"$workloads") * $(wc -w <<<"$metrics")))
exits 0 "" --tasks 500 --lanes 3 --workers 2 --policy round_robin --repeat 3 --json
line='^\{"workload":"[a-z]+","backend":"host","mode":"[a-z]+","policy":"round_robin","lanes":[123],"workers":2,"tasks":500,"kernel_us":0,"metric":"[a-z_]+","value":[0-9]+\.[0-9]+,"unit":"(ns|bytes)"\}$'
[ "$(grep -cE "$line" "$work/out"),$(wc -l <"$work/out")" = $lines,$lines ] || wrong "--json: $(cat "$work/out")"
for workload in $workloads; do
    for metric in $metrics; do
        grep -F "\"workload\":\"$workload\"" "$work/out" | grep -F "\"$metric\"" | grep -qvE '"value":0\.0+,' || wrong "no $metric of $workload"
    done
done
# Lanes beyond what the graph can use are told as they are used.
exits 0 "" --workload wavefront --tasks 400 --lanes 4 --repeat 1 --json
grep -q '"lanes":4' "$work/out" || wrong "--lanes 4: $(cat "$work/out")"
WEIR_LANES=2 exits 0 "" --workload wavefront --tasks 400 --lanes 4 --repeat 1 --json
grep -q '"lanes":4' "$work/out" || wrong "the command line does not beat WEIR_LANES: $(cat "$work/out")"
WEIR_LANES=2 exits 0 "" --workload wavefront --tasks 400 --repeat 1 --json
grep -q '"lanes":2' "$work/out" || wrong "WEIR_LANES is not heard: $(cat "$work/out")"

exits 0 "" --workload chain --tasks 1 --repeat 1
[ "$(wc -l <"$work/out")" -eq 2 ] || wrong "the table is not a heading and a row: $(cat "$work/out")"

# The graph of a file, as it is; the file says how many tasks.
for shape in chain-1000:1000 fluid-frame:32 forks-32x32:1026 layers-50x20:1000 wavefront-64x64:4096; do
    name=${shape%:*}.stg tasks=${shape#*:}
    exits 0 "" --workload "$data/shapes/$name" --workers 2 --lanes 4 --repeat 1 --json
    [ "$(grep -cF "{\"workload\":\"$name\",\"backend\":\"host\"" "$work/out"),$(grep -cF "\"tasks\":$tasks,\"kernel_us\":0,\"metric\"" "$work/out")" = \
        "$(wc -w <<<"$metrics"),$(wc -w <<<"$metrics")" ] || wrong "$name: $(cat "$work/out")"
done
for graph in fpppp robot; do
    exits 0 "" --workload "$data/stg/$graph.stg" --workers 2 --repeat 1
done
printf '1\n0 1 0\n' >"$work/a\"b"
exits 0 "" --workload "$work/a\"b" --repeat 1 --json
grep -qF '{"workload":"a\"b",' "$work/out" || wrong "a quote in a file's name: $(cat "$work/out")"
[ "$openmp" -eq 1 ] || exits 0 "" --workload chain --tasks 1 --repeat 1
[ "$openmp" -eq 1 ] || grep -qE ' - +[0-9.]+$' "$work/out" || wrong "a table without OpenMP: $(cat "$work/out")"
printf '2\n0 1 0\n1 1 1 x\n' >"$work/bad.stg"
exits 1 "dagbench: $work/bad.stg:3: " --workload "$work/bad.stg"
printf '2\n0 1 1 1\n1 1 1 0\n' >"$work/cycle.stg"
exits 1 "dagbench: $work/cycle.stg:" --workload "$work/cycle.stg"
exits 1 "dagbench: none.dot: cannot be opened" --workload none.dot
exits 2 "--tasks: a file's graph has as many as it has" --workload "$work/bad.stg" --tasks 5

exits 0 "" --help
grep -q -- '--workload NAME' "$work/out" || wrong "--help does not help"
for workload in $workloads fluid-kernels programmatic while fft frames-two frames-three frames-fluid frames-cost frames-host; do
    grep -qE "^ +$workload +[a-z]" "$work/out" || wrong "--help does not list $workload"
done
exits 0 "" --version
grep -qE '^dagbench [0-9]+\.[0-9]+\.[0-9]+$' "$work/out" || wrong "--version: $(cat "$work/out")"

exits 2 "--lanes: must be a whole number from 1" --lanes 0
exits 2 "--workers: must be a whole number" --workers many
exits 2 "--tasks: must be a whole number" --tasks 0
exits 2 "--tasks: must be a whole number" --tasks 99999999999999999999999
exits 2 "--tasks: must be a whole number" --tasks -1
exits 2 "--repeat: must be a whole number" --repeat 1x
exits 2 "--seed: must be a whole number" --seed ""
exits 2 "spiral: no such workload" --workload spiral
# What only kernels on CUDA have is refused where they are not.
exits 2 "only on CUDA, and this runs on the host" --kernel-us 5 --tasks 10
exits 2 "only on CUDA, and this runs on the host" --quick --tasks 10
exits 2 "--choices: only on CUDA, and this runs on the host" --choices --tasks 10
for workload in fluid-kernels programmatic while fft frames-two frames-three frames-fluid frames-cost; do
    exits 2 "$workload: only on CUDA" --workload $workload
    exits 2 "--kernel-us: this workload has kernels of its own" --workload $workload --kernel-us 5
    exits 2 "--choices: this workload is not a graph of tasks" --workload $workload --choices
done
exits 2 "--kernel-us: must be a whole number from 0" --kernel-us 5us
# Frames in flight on the host: answers are checked inside; the bound is what the figures beside it say. Its times are nobody's promise.
exits 0 "" --workload frames-host --workers 2 --lanes 3 --repeat 1 --json
line='^\{"workload":"frames-host","backend":"host","mode":"eager","policy":"[a-z_]+","lanes":3,"workers":2,"tasks":3,"kernel_us":200,"metric":"[a-z_]+","value":[0-9]+\.[0-9]{4},"unit":"(us|ratio)"\}$'
[ "$(grep -cE "$line" "$work/out"),$(wc -l <"$work/out")" = 4,4 ] || wrong "frames-host --json: $(cat "$work/out")"
value_of() { sed -nE "s/.*\"metric\":\"$1\",\"value\":([0-9.]+),.*/\1/p" "$work/out"; }
awk -v alone="$(value_of sequential_us)" -v bound="$(value_of frames_bound_us)" -v frame="$(value_of weir_frames_us)" \
    -v ratio="$(value_of frames_bound_ratio)" \
    'BEGIN { exit !(bound > 0 && (alone / bound - 2) ^ 2 < 1e-6 && frame > 0 && (frame / bound / ratio - 1) ^ 2 < 1e-4) }' ||
    wrong "frames-host: its figures do not fit each other: $(cat "$work/out")"
exits 0 "" --workload frames-host --workers 1 --repeat 2 --backend auto
[ "$(wc -l <"$work/out")" -eq 5 ] || wrong "frames-host: the table is not a heading and four rows: $(cat "$work/out")"
exits 2 "--tasks: this workload has three" --workload frames-host --tasks 4
exits 2 "--kernel-us: only on CUDA, and this workload runs on the host" --workload frames-host --kernel-us 5
exits 2 "--quick: only on CUDA" --workload frames-host --quick
exits 2 "frames-host: only on the host" --workload frames-host --backend cuda
exits 1 "WEIR_BACKEND=teapot" --workload frames-host --backend teapot
exits 1 "WEIR_BACKEND=teapot" --backend teapot --tasks 10
exits 0 "" --workload chain --tasks 10 --repeat 1 --mode replay --json
grep -q '"mode":"eager"' "$work/out" || wrong "the host does not say that it runs eagerly: $(cat "$work/out")"
exits 2 "--fast: unknown option" --fast
exits 2 "--tasks: needs a value" --tasks
exits 1 "round_robin" --policy best --tasks 10
WEIR_POLICY=best exits 1 "WEIR_POLICY=best" --tasks 10
if [ -w /dev/full ]; then
    "$dagbench" --tasks 10 --repeat 1 >/dev/full 2>"$work/err" && wrong "a full output is no failure"
    grep -q '^dagbench: standard output: ' "$work/err" || wrong "a full output: $(cat "$work/err")"
fi

[ $failures -eq 0 ]
