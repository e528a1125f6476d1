#!/bin/sh
# programs.sh PROGRAM CASE - the small examples.
# shellcheck disable=SC2086 # $words is several words
set -u
program=$1 case=$2
unset WEIR_LANES WEIR_WORKERS WEIR_POLICY WEIR_BACKEND WEIR_MODE WEIR_SHUFFLE WEIR_DEBUG WEIR_DUMP WEIR_TRACE
export WEIR_BACKEND=host # but where a case asks for another

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

case $case in
hello_prints_its_sum)
    [ "$("$program")" = "1 + 4 + ... + 64 = 204" ] || fail "another sum"
    ;;
vector_add_compares_one_lane_with_several)
    out=$("$program" --elements 100003 --chunks 7 --lanes 3 --workers 2) || fail "run"
    echo "$out" | grep -q "every element checked" || fail "nothing checked"
    echo "$out" | grep -q "^ *7 *1 .* 1\.00  *[0-9.]*%$" || fail "no row for one lane: $out"
    echo "$out" | grep -q "^ *7 *3 .* [0-9.]*  *[0-9.]*%$" || fail "no row for three lanes: $out"
    out=$("$program" --elements 5 --chunks 100) || fail "more chunks than elements"
    ;;
vector_add_takes_lanes_from_the_environment)
    WEIR_LANES=2 "$program" --elements 1000 --chunks 4 | grep -q "^ *4 *2 " || fail "WEIR_LANES is not the default"
    WEIR_LANES=2 "$program" --elements 1000 --chunks 4 --lanes 3 | grep -q "^ *4 *3 " || fail "--lanes does not win"
    WEIR_LANES=none "$program" 2>&1 | grep -q "^vector_add: WEIR_LANES=none: must be" || fail "bad WEIR_LANES"
    ;;
vector_add_bounds_itself_by_its_copies)
    out=$("$program" --elements 3000000 --chunks 4 --backend host --mode replay) || fail "run"
    echo "$out" | grep -q "^3000000 elements on host, eager, " || fail "what ran: $out"
    # "copies alone: U GB/s up, D down, B both at once; so not less than T ms": one vector up and one down at once, then one up.
    echo "$out" | awk '
        function near(a, b) { return a > 0 && a - b <= 0.03 * b && b - a <= 0.03 * b }
        $1 == "copies" { vector = 3000000 * 4 / 1e6; bound = $(NF - 1); found += near(2 * vector / $8 + vector / $3, bound) }
        $1 == 4 { found += near(bound / $3 * 100, $6 + 0); if ($2 == 1) one = $3; else found += near(one / $3, $5) }
        END { exit found != 4 }' || fail "figures that do not fit together: $out"
    ;;
vector_add_runs_on_cuda_in_each_mode)
    ls /dev/nvidia[0-9]* >/dev/null 2>&1 || exit 77
    for mode in eager replay capture; do
        out=$("$program" --elements 1000003 --chunks 7 --backend cuda --mode $mode) || fail "run $mode"
        echo "$out" | grep -q "^1000003 elements on cuda, $mode, .*every element checked" || fail "what ran: $out"
        echo "$out" | grep -q "^ *7 *8 .*%$" || fail "no row for eight lanes: $out"
    done
    ;;
vector_add_names_bad_usage)
    for words in "--lanes 0" "--elements 0" "--chunks x" "--backend tpu" "--mode fast" "--speed 3"; do
        message=$("$program" $words 2>&1)
        [ $? -eq 2 ] || fail "exit status of $words"
        echo "$message" | grep -q "^vector_add: ${words%% *}" || fail "$words: $message"
    done
    ;;
poisson_finds_known_pressures)
    for size in 64x64 100x37 1x1 1x50 63x1 3x5 512x128; do
        out=$("$program" --size $size --frames 3) || fail "run $size"
        echo "$out" | grep -q "^3 equations of ${size%x*} x ${size#*x} on host, eager, by FFTW: [0-9.]* ms a frame (median)$" || fail "what ran: $out"
        echo "$out" | awk '/^pressures/ { found = $9 <= substr($12, 2) + 0 && $9 < 0.1 && $NF == "most" && $(NF - 2) <= 1e-4 } END { exit !found }' ||
            fail "figures: $out"
    done
    "$program" --size 32x32 --frames 1 --seed 7 --workers 1 --lanes 1 | grep -q "^1 equation of 32 x 32 " || fail "another seed"
    ;;
poisson_gives_the_same_bytes_each_time)
    first=$("$program" --size 96x80 --frames 2 --workers 1 | tail -n 1)
    for how in "--workers 3" "--lanes 1" "--lanes 5 --workers 2"; do
        [ "$("$program" --size 96x80 --frames 2 $how | tail -n 1)" = "$first" ] || fail "$how"
    done
    WEIR_SHUFFLE=3 "$program" --size 96x80 --frames 2 | tail -n 1 | grep -qxF "$first" || fail "shuffled"
    [ "$("$program" --size 96x80 --frames 2 --seed 9 | tail -n 1)" != "$first" ] || fail "another seed solves the same"
    ;;
poisson_says_what_it_lacks)
    message=$("$program" --size 32x32 2>&1)
    [ $? -eq 1 ] || fail "exit status"
    echo "$message" | grep -q "^poisson: built without FFTW, .*libfftw3-dev" || fail "message: $message"
    ;;
poisson_runs_on_cuda_in_each_mode)
    ls /dev/nvidia[0-9]* >/dev/null 2>&1 || exit 77
    for size in 64x64 100x37 512x128; do
        for mode in eager replay capture; do
            out=$("$program" --size $size --frames 5 --backend cuda --mode $mode) || fail "run $size $mode"
            echo "$out" | grep -q "^5 equations of ${size%x*} x ${size#*x} on cuda, $mode, by cuFFT: " || fail "what ran: $out"
        done
    done
    WEIR_DEBUG=1 "$program" --size 64x64 --frames 2 --backend cuda || fail "run with WEIR_DEBUG"
    ;;
poisson_names_bad_usage)
    for words in "--size 0x5" "--size 5000x5" "--frames 0" "--backend tpu" "--mode fast" "--speed 3"; do
        message=$("$program" $words 2>&1)
        [ $? -eq 2 ] || fail "exit status of $words"
        echo "$message" | grep -q "^poisson: ${words%% *}" || fail "$words: $message"
    done
    ;;
*)
    fail "no such case: $case"
    ;;
esac
exit 0
