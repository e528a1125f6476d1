#!/usr/bin/env bash
# dagbench.sh DAGBENCH - what its command line and its output promise.
set -uo pipefail
dagbench=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset WEIR_LANES WEIR_WORKERS WEIR_POLICY WEIR_BACKEND
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

# Four metrics a workload, each a JSON object with the keys that readers expect, in one order.
exits 0 "" --tasks 500 --lanes 3 --workers 2 --policy round_robin --repeat 3 --json
line='^\{"workload":"[a-z]+","backend":"host","mode":"[a-z]+","policy":"round_robin","lanes":[123],"workers":2,"tasks":500,"metric":"[a-z_]+","value":[0-9]+\.[0-9]+,"unit":"(ns|bytes)"\}$'
[ "$(grep -cE "$line" "$work/out"),$(wc -l <"$work/out")" = 20,20 ] || wrong "--json: $(cat "$work/out")"
for workload in chain forks wavefront layers fluid; do
    for metric in declare_ns_per_task plan_ns_per_task run_ns_per_task bytes_per_task; do
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
exits 0 "" --help
grep -q -- '--workload NAME' "$work/out" || wrong "--help does not help"
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
exits 2 "--fast: unknown option" --fast
exits 2 "--tasks: needs a value" --tasks
exits 1 "round_robin" --policy best --tasks 10
WEIR_POLICY=best exits 1 "WEIR_POLICY=best" --tasks 10
if [ -w /dev/full ]; then
    "$dagbench" --tasks 10 --repeat 1 >/dev/full 2>"$work/err" && wrong "a full output is no failure"
    grep -q '^dagbench: standard output: ' "$work/err" || wrong "a full output: $(cat "$work/err")"
fi

[ $failures -eq 0 ]
