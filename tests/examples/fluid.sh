#!/bin/sh
# fluid.sh FLUID COMPARE DATA CASE - runs the built program as people do. Each case below is a promise.
# shellcheck disable=SC2086 # $common, $how and $quick are several words each
set -u
fluid=$1 compare=$2 data=$3 case=$4
unset WEIR_LANES WEIR_WORKERS WEIR_POLICY WEIR_BACKEND WEIR_MODE WEIR_SHUFFLE WEIR_DEBUG WEIR_DUMP WEIR_TRACE
export WEIR_BACKEND=host # but where a case asks for another
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() {
    echo "FAILED: $*" >&2
    [ -f err ] && sed 's/^/  stderr: /' err >&2
    exit 1
}

# expect STATUS WORDS command...: the exit status, and standard error that starts with "fluid: " and holds the words.
expect() {
    status=$1 words=$2
    shift 2
    "$@" >out 2>err
    got=$?
    [ $got -eq "$status" ] || fail "exit status $got, not $status: $*"
    grep -q '^fluid: ' err || fail "no line of fluid's own: $*"
    grep -q -- "$words" err || fail "no '$words': $*"
}

no_half_files() {
    [ -z "$(find "$1" -name '*.part')" ] || fail "half files in $1"
}

case $case in
frames_change)
    "$fluid" --frames 60 --size "$FLUID_SIZE" --output frames >out || fail "run"
    [ "$(find frames -name 'frame-*.png' | wc -l)" -eq 60 ] || fail "60 frames"
    [ -s frames/contact.png ] || fail "contact sheet"
    "$compare" frames/frame-0001.png frames/frame-0060.png 16 20 || fail "frame 60 looks like frame 1"
    grep -q '^solve .*%$' out || fail "table of groups"
    ;;
same_bytes_for_every_lane_and_worker_count)
    for solver in red-black jacobi "residual --residual 0.002 --sweeps-a-test 3"; do
        common="--size 120x90 --frames 8 --sweeps 11 --solver $solver --mask $data/mask.png"
        "$fluid" $common --lanes 1 --workers 1 --output first >out || fail "run"
        for how in "--lanes 2 --workers 2" "--lanes 8 --workers 3" "--lanes 5 --workers 1" "--lanes 3 --workers 4 --policy round_robin"; do
            rm -rf other
            "$fluid" $common $how --output other >out || fail "run $how"
            diff -r first other || fail "$solver $how"
        done
        for seed in 1 2 3; do
            rm -rf other
            WEIR_SHUFFLE=$seed "$fluid" $common --lanes 6 --output other >out || fail "run shuffled"
            diff -r first other || fail "$solver shuffled by $seed"
        done
        rm -rf first
    done
    ;;
same_bytes_for_every_number_in_flight)
    for solver in red-black jacobi "residual --residual 0.002 --sweeps-a-test 3"; do
        common="--size 120x90 --frames 9 --sweeps 11 --solver $solver --mask $data/mask.png"
        "$fluid" $common --lanes 1 --workers 1 --output first >out || fail "run"
        for flight in 1 2 3 7; do
            for how in "--lanes 1 --workers 1" "--lanes 3 --workers 2" "--lanes 8 --workers 3 --policy round_robin" \
                "--lanes 4 --workers 2 --priorities 1,0,-1" "--workers 2 --priorities 0,0,0 --timing off" "--workers 2 --timing alone"; do
                rm -rf other
                "$fluid" $common --in-flight $flight $how --output other >out || fail "run $flight, $how"
                diff -r first other || fail "$solver, $flight in flight, $how"
            done
        done
        for seed in 1 2 3; do
            rm -rf other
            WEIR_SHUFFLE=$seed "$fluid" $common --lanes 6 --in-flight 3 --output other >out || fail "run shuffled"
            diff -r first other || fail "$solver shuffled by $seed"
        done
        rm -rf first
    done
    ;;
a_picture_that_drifts_is_uploaded_for_each_frame)
    common="--size 120x90 --frames 9 --mask $data/mask.png"
    "$fluid" $common --output still >out && "$fluid" $common --drift 120 --in-flight 2 --output around >out || fail "run"
    diff -r still around || fail "a picture that went all the way round is not the same"
    "$fluid" $common --drift 7 --lanes 1 --workers 1 --output first >out || fail "run drifting"
    cmp -s still/frame-0001.png first/frame-0001.png || fail "it moved before the first frame"
    cmp -s still/frame-0002.png first/frame-0002.png && fail "it does not drift"
    for flight in 1 2 3 5; do
        for how in "--lanes 1 --workers 1" "--lanes 3 --workers 2" "--lanes 8 --workers 3 --policy round_robin"; do
            rm -rf other
            "$fluid" $common --drift 7 --in-flight $flight $how --output other >out || fail "run $flight, $how"
            diff -r first other || fail "$flight in flight, $how"
        done
    done
    ;;
another_seed_gives_other_smoke)
    "$fluid" --size 64x64 --frames 6 --seed 1 --output one >out && "$fluid" --size 64x64 --frames 6 --seed 2 --output two >out || fail "run"
    cmp -s one/frame-0006.png two/frame-0006.png && fail "same smoke"
    ;;
bad_input_is_named)
    quick="--frames 2 --size 64x64 --output none"
    head -c 20000 "$data/weir.png" >cut.png
    expect 1 "/etc/passwd: not a PNG" "$fluid" $quick --input /etc/passwd
    expect 1 "cut.png: damaged or cut off" "$fluid" $quick --input cut.png
    expect 1 "nowhere.png: .*No such file" "$fluid" $quick --input nowhere.png
    expect 1 "cut.png: damaged or cut off" "$fluid" $quick --mask cut.png
    expect 1 "a-file: .*Not a directory" sh -c 'touch a-file; exec "$0" --frames 2 --size 64x64 --output a-file' "$fluid"
    expect 1 "a-file/below: .*Not a directory" "$fluid" --frames 2 --size 64x64 --output a-file/below
    ;;
bad_usage_is_named)
    expect 2 "size 0x100: must be" "$fluid" --size 0x100
    expect 2 "size 100000x100: must be" "$fluid" --size 100000x100
    expect 2 "size 64: must be" "$fluid" --size 64
    expect 2 "size 64x-64: must be" "$fluid" --size 64x-64
    expect 2 "lanes 0: must be" "$fluid" --lanes 0
    expect 2 "workers 0: must be" "$fluid" --workers 0
    expect 2 "frames 1e3: must be" "$fluid" --frames 1e3
    expect 2 "frames 99999999999999999999: must be" "$fluid" --frames 99999999999999999999
    expect 2 "drift -1: must be" "$fluid" --drift -1
    expect 2 "in-flight 0: must be" "$fluid" --in-flight 0
    expect 2 "in-flight 13: must be" "$fluid" --in-flight 13
    expect 2 "priorities 1,2: must be three whole numbers" "$fluid" --priorities 1,2
    expect 2 "priorities 0,0,101: must be three whole numbers" "$fluid" --priorities 0,0,101
    expect 2 "policy best: must be one of round_robin, priority" "$fluid" --policy best
    expect 2 "solver cg: must be one of red-black, jacobi, residual" "$fluid" --solver cg
    expect 2 "residual 0: must be a number above 0" "$fluid" --residual 0
    expect 2 "residual 2: must be a number above 0" "$fluid" --residual 2
    expect 2 "sweeps-a-test 0: must be" "$fluid" --sweeps-a-test 0
    expect 2 "sweeps-at-most 0: must be" "$fluid" --sweeps-at-most 0
    expect 2 "backend tpu: must be one of auto, host, cuda" "$fluid" --backend=tpu
    expect 2 "mode fast: must be one of default, eager, replay, capture, auto" "$fluid" --mode=fast
    expect 2 "timing yes: must be one of on, off, alone" "$fluid" --timing yes
    expect 2 "--frame: unknown option" "$fluid" --frame 3
    expect 2 "--output: needs a value" "$fluid" --output
    expect 2 "picture.png: unexpected argument" "$fluid" picture.png
    [ -z "$(find . -name 'frame-*')" ] || fail "frames in spite of it"
    ;;
command_line_wins_over_environment)
    quick="--frames 1 --size 64x64 --output none"
    WEIR_LANES=3 WEIR_WORKERS=1 "$fluid" $quick >out || fail "run"
    grep -q "1 workers, 3 lanes" out || fail "environment: $(cat out)"
    WEIR_LANES=3 WEIR_WORKERS=1 WEIR_POLICY=priority "$fluid" $quick --lanes 2 --workers 2 --policy round_robin >out || fail "run"
    grep -q "2 workers, 2 lanes, round_robin" out || fail "command line: $(cat out)"
    "$fluid" $quick --workers 1 --in-flight 2 >out || fail "run of stages"
    grep -q "1 workers, 3 lanes" out || fail "no lane for each stage: $(cat out)"
    "$fluid" $quick --workers 1 --in-flight 2 --lanes 1 >out || fail "run of stages in a lane"
    grep -q "1 workers, 1 lanes" out || fail "lanes of the command line, several in flight: $(cat out)"
    expect 1 "WEIR_POLICY=best: must be one of" env WEIR_POLICY=best "$fluid" $quick
    expect 1 "WEIR_LANES=0: must be" env WEIR_LANES=0 "$fluid" $quick
    expect 1 "WEIR_WORKERS=many: must be" env WEIR_WORKERS=many "$fluid" $quick
    WEIR_MODE=fast "$fluid" $quick --mode eager >out || fail "--mode does not win"
    expect 1 "WEIR_MODE=fast: must be one of" env WEIR_MODE=fast "$fluid" $quick
    expect 1 "WEIR_BACKEND=tpu: must be one of" env WEIR_BACKEND=tpu "$fluid" $quick
    ;;
it_says_what_ran)
    quick="--frames 4 --size 64x64 --output none --backend host"
    for mode in default eager replay capture auto; do # the host runs them all eagerly, and says so
        "$fluid" $quick --mode $mode >out || fail "run $mode"
        grep -q '^host, eager, .*: [0-9.]* ms a frame (median)$' out || fail "$mode: $(cat out)"
        grep -q '^solve .*%$' out || fail "no table of groups"
    done
    "$fluid" $quick --timing off >out || fail "run untimed"
    grep -q '^host, eager, .* ms a frame (median)$' out || fail "untimed: $(cat out)"
    grep -q '^solve' out && fail "times without timing"
    grep -q 'cannot come faster' out && fail "a bound that nobody measured"
    "$fluid" $quick --timing alone --in-flight 2 --frames 8 >out || fail "run timed alone"
    grep -q '^frames cannot come faster than [0-9.]* [mu]s: .' out || fail "timed alone: $(cat out)"
    grep -q '^solve .*%$' out || fail "no table of groups"
    "$fluid" $quick --timing alone --lanes 2 >out || fail "run timed alone with lanes" # which are asked for, so tasks do not run alone
    grep -q 'cannot come faster' out && fail "a bound of tasks that were not alone"
    "$fluid" $quick --timing alone --frames 3 >out || fail "run timed alone with few frames"
    grep -q 'cannot come faster' out && fail "a bound of no frame"
    "$fluid" $quick --in-flight 3 >out || fail "run three in flight"
    grep -q '^host, eager, .* ms a frame (median), 3 in flight, one every [0-9.]* ms$' out || fail "three in flight: $(cat out)"
    "$fluid" $quick --in-flight 4 >out || fail "run all in flight" # no frame after the first four, so nothing to measure
    grep -q '^host, eager, .* ms a frame (median), 4 in flight$' out || fail "all in flight: $(cat out)"
    [ -z "$(find . -name '*.png')" ] || fail "pictures nobody wanted"
    ;;
a_solve_says_how_many_sweeps_it_took)
    quick="--frames 5 --size 96x64 --output none --solver residual"
    # "pressure to R: M sweeps a frame (median), N at most, a test after each K; residual R at most[; F frames ended at --sweeps-at-most]"
    "$fluid" $quick --residual 0.01 --sweeps-a-test 4 >out || fail "run"
    awk '$1 == "pressure" { found = $3 == "0.01:" && $4 > 0 && $4 % 4 == 0 && $9 >= $4 && $9 % 4 == 0 && $16 == "4;" && $18 > 0 && $18 <= 0.01 && NF == 20 }
        END { exit !found }' out || fail "figures: $(cat out)"
    "$fluid" $quick --residual 0.000001 --sweeps-at-most 25 >out || fail "run to the most"
    grep -q "^pressure to 1e-06: 30 sweeps a frame (median), 30 at most, .*; 5 frames ended at --sweeps-at-most$" out || fail "the most: $(cat out)"
    grep -q '^solve .*%$' out || fail "no table of groups"
    for flight in 1 2 3 6; do # each frame is looked at, once, however many are under way
        "$fluid" $quick --residual 0.000001 --sweeps-at-most 25 --in-flight $flight >out || fail "run $flight in flight"
        grep -q "; 5 frames ended at --sweeps-at-most$" out || fail "$flight in flight: $(cat out)"
    done
    "$fluid" --frames 2 --size 64x64 --output none >out || fail "run of fixed sweeps"
    grep -q '^pressure' out && fail "a solve where there is none"
    ;;
cuda_frames_are_the_hosts)
    ls /dev/nvidia[0-9]* >out 2>&1 || exit 77
    for solver in red-black jacobi "residual --residual 0.002 --sweeps-a-test 4" "red-black --drift 5"; do
        common="--size 200x120 --frames 12 --sweeps 11 --solver $solver --mask $data/mask.png"
        "$fluid" $common --output first >out || fail "run on the host"
        for how in "--mode eager" "--mode eager --lanes 1" "--mode replay" "--mode capture --lanes 3" "--mode replay --timing off --policy round_robin" \
            "--mode eager --in-flight 2" "--mode eager --in-flight 3" "--mode replay --in-flight 2" "--mode replay --in-flight 3 --timing off" \
            "--mode capture --in-flight 2 --lanes 3" "--mode capture --in-flight 3" "--mode replay --in-flight 3 --priorities 0,0,0"; do
            rm -rf other
            "$fluid" $common --backend cuda $how --output other >out 2>err || fail "run $how"
            mode=${how#--mode }
            grep -q "^cuda, ${mode%% *}, " out || fail "$how: $(cat out)"
            diff -r first other || fail "$solver $how"
        done
        rm -rf first
    done
    "$fluid" --size 200x120 --frames 12 --backend cuda --mode replay --timing alone --in-flight 2 --output none >out || fail "replay planned by times"
    grep -q '^cuda, replay, ' out || fail "planned by times: $(cat out)"
    grep -q '^frames cannot come faster than [0-9.]* [mu]s: .' out || fail "no bound of replays: $(cat out)"
    ;;
frames_written_before_a_failure_stay)
    mkdir -p frames/frame-0004.png # nobody can write a file of that name
    expect 1 "frames/frame-0004.png: cannot write" "$fluid" --size 64x64 --frames 9 --output frames
    grep -q "task 'encode'" err || fail "the task is not named"
    mkdir -p several/frame-0004.png
    expect 1 "several/frame-0004.png: cannot write" "$fluid" --size 64x64 --frames 9 --in-flight 3 --output several
    grep -q "keeps the 3 frames written before" err || fail "three in flight"
    [ -e several/frame-0005.png ] && fail "a frame after the failure, three in flight"
    for n in 1 2 3; do
        "$compare" frames/frame-000$n.png frames/frame-0001.png 1 0 >out || fail "frame $n is no whole picture"
    done
    [ -e frames/frame-0005.png ] && fail "a frame after the failure"
    no_half_files frames
    ;;
a_full_folder_is_named)
    # What a file may hold runs out, as room on a disk does.
    trap '' XFSZ
    (ulimit -f 8 && "$fluid" --size 200x200 --frames 3 --output frames >out 2>err)
    [ $? -eq 1 ] || fail "exit status"
    grep -q "^fluid: frames/frame-0001.png: cannot write it: .*; make room" err || fail "message"
    no_half_files frames
    [ -z "$(find frames -type f)" ] || fail "something under a final name"
    ;;
an_unwritable_folder_is_named)
    mkdir locked
    chmod 555 locked
    if touch locked/x 2>/dev/null; then # root may: /proc refuses everybody
        expect 1 "/proc/weir: cannot write there" "$fluid" --size 64x64 --frames 1 --output /proc/weir
    else
        expect 1 "locked: cannot write there: Permission denied" "$fluid" --size 64x64 --frames 1 --output locked
        expect 1 "locked/new: cannot write there: Permission denied" "$fluid" --size 64x64 --frames 1 --output locked/new
    fi
    chmod 755 locked
    ;;
help_and_version_go_to_standard_output)
    "$fluid" --help >out 2>err || fail "help"
    for option in input mask size drift frames in-flight priorities sweeps solver residual sweeps-a-test sweeps-at-most lanes workers policy backend mode timing seed output help version; do
        grep -q -- "--$option" out || fail "help is silent on --$option"
    done
    [ -s err ] && fail "something on standard error"
    "$fluid" --version | grep -q '^fluid (weir) [0-9]*\.[0-9]*\.[0-9]*$' || fail "version"
    ;;
*)
    fail "no such case: $case"
    ;;
esac
exit 0
