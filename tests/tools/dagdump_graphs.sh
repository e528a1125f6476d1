#!/usr/bin/env bash
# dagdump_graphs.sh DAGDUMP DATA HELLO DOT - what dagdump stats, plan and timeline promise on other people's graphs (DATA) and on the trace of
# a program (HELLO, any that runs weir). DOT: 1 if dagdump was built with libcgraph.
set -uo pipefail
dagdump=$1 data=$2 program=$3 with_dot=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
unset WEIR_LANES WEIR_POLICY WEIR_TRACE WEIR_DUMP

wrong() {
    echo "wrong: $*" >&2
    failures=$((failures + 1))
}

# exits STATUS "PART OF STANDARD ERROR, or nothing" ARGUMENT...; standard output goes to $work/out
exits() {
    local want=$1 part=$2 got
    shift 2
    "$dagdump" "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$want" ] || wrong "dagdump $*: exit status $got, not $want: $(cat "$work/err")"
    if [ -z "$part" ]; then
        [ ! -s "$work/err" ] || wrong "dagdump $*: says '$(cat "$work/err")'"
    else
        grep -qF -- "$part" "$work/err" || wrong "dagdump $*: says '$(cat "$work/err")', not '$part'"
        [ "$(grep -c '^dagdump: ' "$work/err")" -eq 1 ] || wrong "dagdump $*: not one line 'dagdump: ...'"
    fi
}

# says KEY VALUE: the one line of JSON in $work/out has that value
says() {
    grep -qE "[{,]\"$1\":$2[,}]" "$work/out" || wrong "no \"$1\":$2 in $(cat "$work/out")"
    [ "$(wc -l <"$work/out")" -eq 1 ] || wrong "not one line: $(cat "$work/out")"
}

value() {
    sed -E "s/.*\"$1\":([^,}]*).*/\1/" "$work/out"
}

cd "$work" || exit 1

# stats FILE TASKS EDGES REDUNDANT DEPTH CRITICAL WORK
stats() {
    exits 0 "" stats --json "$data/$1"
    says tasks "$2"
    says edges "$3"
    says redundant_edges "$4"
    says depth "$5"
    says critical_path "$6"
    says work "$7"
}
stats stg/fpppp.stg 336 1211 23 17 1062 7129
stats stg/robot.stg 90 135 2 26 569 2483
stats stg/sparse.stg 98 177 5 8 122 1936
stats stg/fft.stg 15 20 0 5 26 98
stats stg/laplace.stg 17 23 0 7 640 1440
stats stg/gaussian_elimination.stg 20 34 6 9 300 600
stats shapes/chain-1000.stg 1000 999 0 1000 1000 1000
stats shapes/fluid-frame.stg 32 40 5 28 28 32
stats shapes/forks-32x32.stg 1026 1056 0 34 34 1026
stats shapes/layers-50x20.stg 1000 1941 75 50 50 1000
stats shapes/wavefront-64x64.stg 4096 8064 0 127 127 4096
says level_width 64
says parallelism 32.252
[ "$(grep -o '"[a-z_]*":' out | tr -d '":\n ')" = "tasksedgesredundant_edgesdepthlevel_widthcritical_pathworkparallelism" ] || wrong "keys of stats: $(cat out)"
exits 0 "" stats "$data/stg/fft.stg"
grep -q '^critical path    26$' out || wrong "stats without --json: $(cat out)"
"$dagdump" stats --json - <"$data/stg/fft.stg" >out || wrong "stats of standard input"
says work 98
echo 0 >none.stg
exits 0 "" stats --json none.stg
says parallelism null

# Every plan is proven, is not better than the bound, and needs no more than one event a task and one wait a cross-lane edge.
for file in "$data"/*/*.stg; do
    for policy in priority round_robin; do
        exits 0 "" plan --policy $policy --lanes 4 --json "$file"
        says valid true
        says policy "\"$policy\""
        says lanes 4
        awk -v makespan="$(value makespan)" -v bound="$(value bound)" -v ratio="$(value ratio)" -v waits="$(value waits)" \
            -v naive_waits="$(value naive_waits)" -v events="$(value events)" -v naive_events="$(value naive_events)" -v tasks="$(value tasks)" \
            'BEGIN { r = makespan / bound
                exit !(r >= 1 && ratio - r < 1e-6 && r - ratio < 1e-6 && waits <= naive_waits && events <= naive_events && naive_events == tasks) }' ||
            wrong "figures of $file: $(cat out)"
    done
done
exits 0 "" plan -p priority -l 2 --json "$data/stg/laplace.stg"
says tasks 17
says edges 23
says bound 720
[ "$(grep -o '"[a-z_]*":' out | tr -d '":\n ')" = "tasksedgespolicylaneswaitseventsnaive_waitsnaive_eventsmakespanboundratiovalid" ] || wrong "keys of plan: $(cat out)"
exits 0 "" plan --lanes 8 "$data/stg/laplace.stg"
grep -q '^bound         640$' out && grep -q '^valid         yes$' out || wrong "plan without --json: $(cat out)"
WEIR_LANES=3 exits 0 "" plan --json "$data/stg/laplace.stg"
says lanes 3
WEIR_LANES=3 WEIR_POLICY=round_robin exits 0 "" plan --lanes 2 --policy priority --json "$data/stg/laplace.stg"
says lanes 2
says policy '"priority"'
exits 0 "" plan --json none.stg
says ratio 1.000000

# Plans are saved, drawn, and read again; a saved plan can be planned anew.
exits 0 "" plan --lanes 4 --json -o robot.json "$data/stg/robot.stg"
cp out first
exits 0 "" plan --lanes 4 --json robot.json
cmp -s out first || wrong "a saved plan is planned otherwise: $(cat out)"
exits 0 "" stats --json robot.json
says critical_path 569
exits 0 "" plan --lanes 4 -o robot.gv "$data/stg/robot.stg"
grep -q 'style=.*dashed' robot.gv || wrong "no dashed wait in robot.gv"
exits 0 "" "$data/stg/robot.stg"
grep -q '^robot: 90 tasks, 135 edges' out || wrong "drawn as text: $(head -n 1 out)"

# DOT.
printf 'digraph g {\n a [cost=3]\n a -> b -> c\n a -> c\n}\n' >good.dot
if [ "$with_dot" -eq 1 ]; then
    exits 0 "" stats --json good.dot
    says tasks 3
    says redundant_edges 1
    says critical_path 5
    "$dagdump" plan --lanes 2 --json - <good.dot >out || wrong "DOT from standard input"
    says valid true
    printf 'digraph g {\n a -> b\n b -> c\n c -> a\n}\n' >cycle.dot
    exits 1 "cycle.dot:" plan cycle.dot
    grep -qE "cycle.dot:[234]: cycle: '(a' -> 'b' -> 'c' -> 'a|b' -> 'c' -> 'a' -> 'b|c' -> 'a' -> 'b' -> 'c)'" err || wrong "cycle.dot: $(cat err)"
    printf 'digraph g {\n a -> -> b\n}\n' >syntax.gv
    exits 1 "syntax.gv:2: this is no DOT: syntax error" stats syntax.gv
else
    exits 1 "good.dot:1: this is DOT, and dagdump was built without" stats good.dot
fi

# Bad input: one line that names file and line.
printf '3\n0 1 0\n1 1 1 0\n' >short.stg
exits 1 "short.stg:1: the file says it has 3 tasks, but there are 2 rows" stats short.stg
exits 1 "short.stg:1: " plan short.stg
printf '2\n0 1 1 1\n1 x 1 0\n' >number.stg
exits 1 "number.stg:3: the time of task 1 is no number: 'x'" plan number.stg
printf '2\n0 1 1 1\n1 2 1 0\n' >cycle.stg
exits 1 "cycle: " plan cycle.stg
: >empty.stg
exits 1 "empty.stg:1: the file is empty" stats empty.stg
exits 1 "nothing.stg: cannot be opened" stats nothing.stg
head -c 3000 /bin/sh >noise
exits 1 "noise:1: this is no format dagdump knows" stats noise

# Wrong usage.
exits 2 "no file to measure" stats
exits 2 "no file to plan" plan --lanes 2
exits 2 "unknown option '--lanes'" stats --lanes 2 "$data/stg/fft.stg"
exits 2 "--lanes must be a whole number from 1 to 1024" plan --lanes 0 "$data/stg/fft.stg"
exits 2 "--lanes must be a whole number from 1 to 1024" plan --lanes 2x "$data/stg/fft.stg"
exits 2 "worst" plan --policy worst "$data/stg/fft.stg"
exits 2 "standard output is for the figures" plan -o - "$data/stg/fft.stg"
exits 2 "tells no format" plan -o picture.png "$data/stg/fft.stg"

# A trace is drawn: well-formed, each lane a row, nothing left of a failure.
WEIR_TRACE=trace.json WEIR_BACKEND=host "$program" >/dev/null 2>&1 || wrong "$program fails"
exits 0 "" timeline trace.json -o trace.svg
[ "$(tail -n 1 trace.svg)" = "</svg>" ] || wrong "trace.svg is cut off"
for part in 'class="critical"' '>lane 0<' '>time in ' '>critical path<' '>kernel, loop or branch<' '>copy or fill<'; do
    grep -qF -- "$part" trace.svg || wrong "no $part in trace.svg"
done
exits 0 "" timeline --frames 0 -o - trace.json
grep -qF ': frame 0 in ' out || wrong "no frame 0: $(grep title out)"
for i in 0 1 2 3 4; do
    printf ',\n{"ph":"X","name":"<k%d> & \\u0001","pid":2,"tid":%d,"ts":%d,"dur":9,"args":{"frame":%d,"kind":"kernel"}}' $i $((i % 2)) $((i * 5)) $i
    printf ',\n{"ph":"X","name":"c","pid":2,"tid":2,"ts":%d,"dur":0,"args":{"frame":%d,"kind":"copy"}}' $((i * 5 + 9)) $i
done >events
{ echo '{"traceEvents":['; sed '1s/^,//; 1{/^$/d}' events; echo ']}'; } >made.json
exits 0 "" timeline made.json -o made.svg
grep -qF 'frames 2 to 4 in 19 ' made.svg && grep -qF ', one every 5 ' made.svg || wrong "not the last three frames: $(grep title made.svg)"
grep -qF '&lt;k4&gt; &amp; ?' made.svg || wrong "a name is not shown as it is"
! grep -q 'cannot come faster' made.svg || wrong "a bound that nobody named"
exits 0 "" timeline --plan robot.json made.json -o made3.svg
grep -qF '>frames cannot come faster than 621 ns: lanes<' made3.svg || wrong "no bound: $(grep 'class="small"' made3.svg)"
exits 0 "" timeline --plan robot.json -o planned.svg
grep -q 'class="title">.*, predicted: frames 8 to 10 in .*, one every 662 ns if each lane has the device to itself<' planned.svg || wrong "no prediction: $(grep title planned.svg)"
grep -qF '>frames cannot come faster than 621 ns: lanes<' planned.svg || wrong "no bound: $(grep 'class="small"' planned.svg)"
exits 0 "" timeline --frames 4 --plan robot.json -o - -- made.json
grep -qF 'frame 4 in' out || wrong "the trace is not drawn: $(grep title out)"
exits 1 "needs a plan" timeline --plan "$data/stg/fft.stg" -o left.svg
exits 1 "are too many to draw" timeline --frames 0-99999999 --plan robot.json -o left.svg
exits 1 "needs a plan" timeline --plan "$data/stg/fft.stg" made.json -o left.svg
exits 1 "none.json: cannot be opened" timeline --plan none.json made.json -o left.svg
exits 0 "" timeline --frames 3 -o - made.json
! grep -qF 'one every' out || wrong "an interval of one frame"
exits 0 "" timeline --frames 0-1 made.json -o made2.svg
grep -qF 'frames 0 to 1 in' made2.svg || wrong "not the frames asked for"
for svg in trace.svg made.svg made2.svg made3.svg planned.svg; do
    ! command -v xmllint >/dev/null || xmllint --noout $svg || wrong "$svg is no XML"
done
exits 1 "it has frames 0 to 4" timeline --frames 7-8 made.json -o left.svg
exits 1 "robot.json:1: this is JSON, but no trace" timeline robot.json -o left.svg
head -c 400 trace.json >cut.json
exits 1 "cut.json:" timeline cut.json -o left.svg
[ ! -e left.svg ] || wrong "a picture that was not drawn has a file"
exits 2 "no file to draw to" timeline trace.json
exits 2 "no file to draw; give a trace" timeline -o left.svg
exits 2 "--frames must be" timeline --frames 3-1 -o left.svg trace.json
exits 2 "--frames must be" timeline --frames -1 -o left.svg trace.json
exits 1 "/no/such/folder/a.svg: cannot be created" timeline trace.json -o /no/such/folder/a.svg
[ -z "$(find . -name '*.part')" ] || wrong "a temporary file was left"

[ $failures -eq 0 ] || { echo "$failures wrong" >&2; exit 1; }
