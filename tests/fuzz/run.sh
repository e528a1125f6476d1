#!/usr/bin/env bash
# run.sh SECONDS [BUILD [SEED]] - builds the fuzz targets with clang into BUILD (build/fuzz) and runs each for that long, one after the other,
# from the texts in corpus/. What they find new is kept in BUILD/corpus for the next run; a text that does harm is left in BUILD and named.
# SEED (by the clock) is printed, and makes a run from a new BUILD happen again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=tools/setup.sh
. tools/setup.sh
[[ ${1:-} =~ ^[1-9][0-9]*$ ]] || fail "say for how many seconds each target is to run"
seconds=$1 build=${2:-build/fuzz} seed=${3:-$(date +%s)}
[[ $seed =~ ^[1-9][0-9]*$ ]] || fail "the seed is a number from 1 on"

need_packages clang libclang-rt-dev libjansson-dev libgraphviz-dev
configure "$build" -S . -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Release -DWEIR_CUDA=OFF -DWEIR_EXAMPLES=OFF -DWEIR_FUZZ=ON
cmake --build "$build" -j "$(jobs_to_build_with)" --target fuzz_stg fuzz_json fuzz_dot >"$build/build.log" 2>&1 || {
    cat "$build/build.log" >&2
    fail "could not build the fuzz targets, see above"
}
for format in stg json dot; do
    corpus=$build/corpus/$format log=$build/$format.log leaks=1
    mkdir -p "$corpus"
    [ $format != dot ] || leaks=0 # libcgraph forgets memory of texts that it refuses
    "$build/tests/fuzz/fuzz_$format" -seed="$seed" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -detect_leaks=$leaks -max_len=2048 \
        -dict="tests/fuzz/$format.dict" -artifact_prefix="$build/$format-" "$corpus" "tests/fuzz/corpus/$format" >"$log" 2>&1 || {
        tail -n 60 "$log" >&2
        fail "fuzz_$format found a text that does harm, see above and $log; make a test of it"
    }
    sed -n 's/^Done \([0-9]*\) runs in \([0-9]*\) second.*/\1 texts in \2 s/p' "$log" | sed "s/^/fuzz_$format, seed $seed: /"
done
