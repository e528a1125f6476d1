#!/bin/sh
# programs.sh PROGRAM CASE - the small examples.
# shellcheck disable=SC2086 # $words is several words
set -u
program=$1 case=$2
unset WEIR_LANES WEIR_WORKERS WEIR_POLICY WEIR_BACKEND WEIR_SHUFFLE WEIR_DEBUG WEIR_DUMP WEIR_TRACE

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
    echo "$out" | grep -q "^ *7 *1 .* 1.00$" || fail "no row for one lane: $out"
    echo "$out" | grep -q "^ *7 *3 " || fail "no row for three lanes: $out"
    out=$("$program" --elements 5 --chunks 100) || fail "more chunks than elements"
    ;;
vector_add_takes_lanes_from_the_environment)
    WEIR_LANES=2 "$program" --elements 1000 --chunks 4 | grep -q "^ *4 *2 " || fail "WEIR_LANES is not the default"
    WEIR_LANES=2 "$program" --elements 1000 --chunks 4 --lanes 3 | grep -q "^ *4 *3 " || fail "--lanes does not win"
    WEIR_LANES=none "$program" 2>&1 | grep -q "^vector_add: WEIR_LANES=none: must be" || fail "bad WEIR_LANES"
    ;;
vector_add_names_bad_usage)
    for words in "--lanes 0" "--elements 0" "--chunks x" "--backend tpu" "--speed 3"; do
        message=$("$program" $words 2>&1)
        [ $? -eq 2 ] || fail "exit status of $words"
        echo "$message" | grep -q "^vector_add: ${words%% *}" || fail "$words: $message"
    done
    ;;
*)
    fail "no such case: $case"
    ;;
esac
exit 0
