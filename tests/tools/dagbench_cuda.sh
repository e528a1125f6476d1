#!/usr/bin/env bash
# dagbench_cuda.sh DAGBENCH DAGDUMP DATA FFT - what dagbench prints about CUDA: every figure, once each, of runs that it has checked. No time is judged. FFT: 1
# if it was built with cuFFT. Needs a GPU; exits 77 without one.
set -uo pipefail
dagbench=$1 dagdump=$2 data=$3 fft=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset WEIR_LANES WEIR_WORKERS WEIR_POLICY WEIR_MODE WEIR_BACKEND
failures=0

wrong() {
    echo "wrong: $*" >&2
    failures=$((failures + 1))
}

# bench ARGUMENT...: leaves its output in $work/out
bench() {
    "$dagbench" --backend cuda --quick --repeat 3 "$@" >"$work/out" 2>"$work/err" || wrong "dagbench $*: $(cat "$work/err")"
    [ ! -s "$work/err" ] || wrong "dagbench $*: says '$(cat "$work/err")'"
}

# lines METRIC: how many of the last output have it
lines() {
    grep -cF "\"metric\":\"$1\"" "$work/out"
}

# once METRIC...
once() {
    for metric in "$@"; do
        [ "$(lines "$metric")" -eq 1 ] || wrong "$(lines "$metric") lines of $metric"
    done
}

if ! "$dagdump" devices | grep -qE '^cuda +yes '; then
    "$dagdump" devices
    exit 77
fi

eager=(weir_eager_us handwritten_eager_us eager_ratio weir_eager_submit_us_per_task handwritten_eager_submit_us_per_task one_lane_us sync_each_task_us
    eager_allocations_per_1000_frames row_order_us row_order_followed_us weir_beside_row_order_us row_order_ratio row_order_followed_ratio)
replay=(weir_replay_us handwritten_replay_us replay_ratio weir_back_to_back_us handwritten_back_to_back_us back_to_back_ratio
    replay_allocations_per_1000_frames)
costs=(weir_plan_us_per_task weir_build_us_per_task handwritten_build_us_per_task handwritten_build_upload_us_per_task build_ratio
    weir_replay_submit_us handwritten_launch_us submit_over_launch_us param_us_per_node)
line='^\{"workload":"[^"]+","backend":"cuda","mode":"[a-z-]+","policy":"[^"]+","lanes":[0-9]+,"workers":[0-9]+,"tasks":[0-9]+,"kernel_us":[0-9]+,"metric":"[a-z0-9_]+","value":-?[0-9]+\.[0-9]+,"unit":"(us|ratio|calls|lanes)"\}$'

for shape in layers-50x20 fluid-frame; do
    for kernel_us in 0 5; do
        bench --workload "$data/shapes/$shape.stg" --kernel-us $kernel_us --json
        [ "$(grep -cE "$line" "$work/out")" -eq "$(wc -l <"$work/out")" ] || wrong "--json: $(grep -vE "$line" "$work/out" | head -n 3)"
        grep -qvF "\"kernel_us\":$kernel_us," "$work/out" && wrong "lines of another kernel_us: $(grep -vF "\"kernel_us\":$kernel_us," "$work/out" | head -n 1)"
        once "${eager[@]}" "${replay[@]}" "${costs[@]}"
        [ "$(lines weir_eager_sweep_us)" -eq 12 ] || wrong "six lane counts and two policies make $(lines weir_eager_sweep_us) lines"
        [ "$(lines handwritten_eager_sweep_us)" -eq 21 ] || wrong "by hand: $(lines handwritten_eager_sweep_us) lines"
        for metric in eager_allocations_per_1000_frames replay_allocations_per_1000_frames; do
            grep -F "\"$metric\"" "$work/out" | grep -qE '"value":0\.0+,' || wrong "weir takes memory: $(grep -F "\"$metric\"" "$work/out")"
        done
    done
done

# One mode alone, one lane count, one policy; edges derived from what is touched.
bench --workload accesses --tasks 300 --mode capture --lanes 4 --policy round_robin --json
once "${replay[@]}"
[ "$(lines weir_eager_us),$(lines build_ratio),$(lines weir_replay_sweep_us)" = 0,0,1 ] || wrong "--mode capture measures more: $(cat "$work/out")"
bench --workload boxes --tasks 200 --mode eager --json
once "${eager[@]}"
[ "$(lines weir_replay_us)" -eq 0 ] || wrong "--mode eager replays"

# The smoke is compared bit for bit before it is timed.
bench --workload fluid-kernels --lanes 8 --policy priority
for metric in handwritten_us fluid_eager_us fluid_eager_ratio fluid_replay_us fluid_replay_ratio; do
    [ "$(grep -cE " $metric +[0-9.]+ (us|ratio)$" "$work/out")" -eq 1 ] || wrong "no $metric: $(cat "$work/out")"
done

# What mode auto chooses, and nothing else; each frame in which it chooses is checked.
choices=(auto_choice_lanes auto_us fixed_us auto_ratio auto_back_to_back_choice_lanes auto_back_to_back_us fixed_back_to_back_us auto_back_to_back_ratio)
for shape in layers-50x20 fluid-frame; do
    bench --workload "$data/shapes/$shape.stg" --choices --kernel-us 5 --json
    [ "$(grep -cE "$line" "$work/out")" -eq "$(wc -l <"$work/out")" ] || wrong "--json: $(grep -vE "$line" "$work/out" | head -n 3)"
    once "${choices[@]}"
    for metric in auto_candidate_us auto_back_to_back_candidate_us; do
        [ "$(lines $metric)" -gt 1 ] || wrong "auto tried nothing: $(cat "$work/out")"
    done
    [ "$(lines fixed_sweep_us),$(lines fixed_back_to_back_sweep_us),$(lines weir_eager_us),$(lines weir_replay_us)" = 7,7,0,0 ] ||
        wrong "--choices: $(cat "$work/out")"
done

# Workloads that are no graphs. How much a loop ran, and what cuFFT gives, is checked before it is timed.
bench --workload programmatic --tasks 200 --json
[ "$(grep -cE "$line" "$work/out")" -eq "$(wc -l <"$work/out")" ] || wrong "--json: $(grep -vE "$line" "$work/out" | head -n 3)"
once weir_programmatic_us_per_node handwritten_programmatic_us_per_node programmatic_ratio weir_plain_us_per_node handwritten_plain_us_per_node \
    plain_ratio weir_plain_changed_us_per_node handwritten_plain_changed_us_per_node plain_changed_ratio
grep -qvF '"tasks":200,' "$work/out" && wrong "programmatic of other tasks: $(cat "$work/out")"
bench --workload while --tasks 100 --json
[ "$(grep -cE "$line" "$work/out")" -eq "$(wc -l <"$work/out")" ] || wrong "--json: $(grep -vE "$line" "$work/out" | head -n 3)"
once weir_while_us_per_round weir_while_decided_us_per_round weir_while_eager_us_per_round handwritten_while_us_per_round \
    handwritten_while_apart_us_per_round host_checked_us_per_round while_ratio while_apart_ratio while_decided_ratio while_eager_ratio \
    while_host_checked_ratio
grep -qvF '"tasks":100,' "$work/out" && wrong "a loop of other rounds: $(cat "$work/out")"
if [ "$fft" -eq 1 ]; then
    bench --workload fft --json
    [ "$(grep -cE "$line" "$work/out")" -eq "$(wc -l <"$work/out")" ] || wrong "--json: $(grep -vE "$line" "$work/out" | head -n 3)"
    for side in 256 1024 2048; do
        for metric in weir_fft_us handwritten_fft_us fft_ratio weir_fft_back_to_back_us handwritten_fft_back_to_back_us fft_back_to_back_ratio; do
            [ "$(grep -F "\"workload\":\"fft-$side\"" "$work/out" | grep -cF "\"metric\":\"$metric\"")" -eq 1 ] || wrong "no $metric of side $side"
        done
    done
else
    "$dagbench" --backend cuda --workload fft >"$work/out" 2>"$work/err"
    [ $?,"$(cat "$work/err")" = "1,dagbench: fft: dagbench was built without cuFFT" ] || wrong "fft without cuFFT: $(cat "$work/err")"
fi


# Frames in flight. What they compute is checked before and after they are timed.
frames=(handwritten_frames_us handwritten_frames_free_us handwritten_streams_us handwritten_streams_free_us serial_us)
frames_replay=(weir_frames_us weir_frames_more_us weir_frames_alone_us frames_ratio frames_free_ratio frames_more_ratio frames_serial_ratio)
frames_eager=(weir_frames_eager_us weir_frames_eager_shared_us frames_eager_ratio frames_eager_streams_ratio)
for workload in frames-two frames-three; do
    bench --workload $workload --json
    [ "$(grep -cE "$line" "$work/out")" -eq "$(wc -l <"$work/out")" ] || wrong "--json: $(grep -vE "$line" "$work/out" | head -n 3)"
    once "${frames[@]}" "${frames_replay[@]}" "${frames_eager[@]}"
done
once upload_alone_us download_alone_us
bench --workload frames-two --mode eager --json
once "${frames[@]}" "${frames_eager[@]}"
[ "$(lines weir_frames_us),$(lines frames_ratio)" = 0,0 ] || wrong "--mode eager replays: $(cat "$work/out")"
bench --workload frames-fluid --json
[ "$(grep -cE "$line" "$work/out")" -eq "$(wc -l <"$work/out")" ] || wrong "--json: $(grep -vE "$line" "$work/out" | head -n 3)"
once fluid_recurrence_us fluid_critical_path_us fluid_kernels_us fluid_upload_us fluid_download_us empty_kernel_us empty_node_us one_stream_us replay_saving \
    eager_saving one_stream_saving
for metric in fluid_interval_us fluid_bound_us fluid_bound_ratio fluid_least_bound_ratio; do
    [ "$(lines $metric)" -eq 6 ] || wrong "$(lines $metric) lines of $metric, of three numbers of frames and two modes"
done
bench --workload frames-cost --json
[ "$(grep -cE "$line" "$work/out")" -eq "$(wc -l <"$work/out")" ] || wrong "--json: $(grep -vE "$line" "$work/out" | head -n 3)"
once carried_edge_us handwritten_carried_edge_us carried_edge_interval_us handwritten_carried_edge_interval_us carried_edge_submit_us \
    handwritten_carried_edge_launch_us
for tasks in 3 100 1000; do
    for metric in weir_submit_us handwritten_launch_us submit_over_launch_us; do
        [ "$(grep -F "\"tasks\":$tasks," "$work/out" | grep -cF "\"metric\":\"$metric\"")" -eq 1 ] || wrong "no $metric of $tasks tasks"
    done
done

for workload in programmatic while; do
    "$dagbench" --backend cuda --tasks 20001 --workload $workload >"$work/out" 2>"$work/err"
    [ $?,"$(cat "$work/err")" = "1,dagbench: $workload: give it at most 20000 tasks" ] || wrong "$workload, too many tasks: $(cat "$work/err")"
done
"$dagbench" --backend cuda --tasks 20001 --workload chain >"$work/out" 2>"$work/err"
[ $?,"$(cat "$work/err")" = "1,dagbench: chain: has 20001 tasks; on CUDA, give it at most 20000" ] || wrong "too many tasks: $(cat "$work/err")"

[ $failures -eq 0 ]
