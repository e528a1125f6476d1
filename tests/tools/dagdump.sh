#!/usr/bin/env bash
# dagdump.sh DAGDUMP SAVER - what dagdump's command line and its output promise. SAVER (save_samples) writes the files that are drawn here.
set -uo pipefail
dagdump=$1 saver=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

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
    [ $got -eq "$want" ] || wrong "dagdump $*: exit status $got, not $want"
    if [ -z "$part" ]; then
        [ ! -s "$work/err" ] || wrong "dagdump $*: says '$(cat "$work/err")'"
    else
        grep -qF -- "$part" "$work/err" || wrong "dagdump $*: says '$(cat "$work/err")', not '$part'"
        [ "$(grep -c '^dagdump: ' "$work/err")" -eq 1 ] || wrong "dagdump $*: not one line 'dagdump: ...'"
    fi
}

same() {
    cmp -s "$1" "$2" || wrong "$1 and $2 differ"
}

cd "$work" || exit 1
"$saver" . || { echo "$saver failed" >&2; exit 1; }

# What the library wrote, dagdump reads and writes again as the library did, byte by byte.
for saved in graph plan names loops; do
    exits 0 "" --format json $saved.json
    same out $saved.json
    exits 0 "" -f dot -o again.gv $saved.json
    same again.gv $saved.dot
    exits 0 "" $saved.json
    same out $saved.txt
    exits 0 "" draw --output=again.txt -- $saved.json
    same again.txt $saved.txt
    "$dagdump" --format=json - <$saved.json >out || wrong "cannot read standard input"
    same out $saved.json
done

# Loops and branches are seen as what they are, and planned and measured as tasks.
for part in 'at most 50 rounds of 1 task\n' 'one of 0, 1, 1 tasks' '1 task or none' 'hexagon: loop'; do
    grep -qF -- "$part" loops.dot || wrong "no '$part' in loops.dot"
done
grep -qF 'at most 50 rounds of jacobi & "co" (1 task)' loops.txt || wrong "no loop in loops.txt"
exits 0 "" stats --json loops.json
grep -q '"tasks":6,' out && grep -q '"work":6000,' out || wrong "figures of loops: $(cat out)"

# Of a plan stats say what keeps its frames from coming faster.
exits 0 "" stats plan.json
grep -q '^interval  *[0-9]' out && grep -q '^bound  *[0-9]' out && grep -q '^frames cannot come faster than .*: .' out || wrong "no bound: $(cat out)"
why=$(grep '^frames cannot' out)
exits 0 "" stats --json plan.json
grep -qF "\"why\":\"$why\"}" out || wrong "stats --json do not say '$why': $(cat out)"
exits 0 "" stats graph.json
! grep -q 'frames cannot' out || wrong "a graph without a plan has a bound: $(cat out)"

exits 0 "" plan --json loops.json
grep -q '"tasks":6,' out && grep -q '"valid":true' out || wrong "plan of loops: $(cat out)"

# Graphviz takes every picture without a word, and the SVG is whole and shows the names as they are.
if command -v dot >/dev/null; then
    for saved in graph plan names loops; do
        [ -z "$(dot -Tsvg $saved.dot 2>&1 >direct.svg)" ] || wrong "graphviz complains about $saved.dot"
        exits 0 "" $saved.json -o $saved.svg
        same $saved.svg direct.svg
        exits 0 "" --format svg $saved.json
        same $saved.svg out
        [ "$(tail -n 1 $saved.svg)" = "</svg>" ] || wrong "$saved.svg is cut off"
        [ "$saved" != graph ] || continue
        grep -q 'stroke-dasharray' $saved.svg || wrong "no dashed wait in $saved.svg"
        grep -q 'fill="#77aadd"' $saved.svg && grep -q 'fill="#eedd88"' $saved.svg || wrong "no two lanes' colours in $saved.svg"
        grep -q 'stroke-width="2.5"' $saved.svg || wrong "no bold critical path in $saved.svg"
    done
    grep -q 'class="cluster"' plan.svg || wrong "no cluster in plan.svg"
    for name in 'say &quot;hi&quot;' '\\N and \\\\' 'a&amp;amp;b &lt;i&gt;' 'two␊lines' 'grün 水' '&#45;&gt; {;} |'; do
        grep -qE ">$name<" names.svg || wrong "names.svg does not show $name"
    done
    if command -v xmllint >/dev/null; then
        xmllint --noout plan.svg names.svg || wrong "the SVG is no XML"
    fi
    exits 1 "/no/such/folder/a.svg: cannot be created" plan.json -o /no/such/folder/a.svg
    # A pipe stands for every device: were one of those named and wrongly replaced, the machine would be broken.
    mkfifo pipe.svg
    timeout 20 cat pipe.svg >piped.svg &
    exits 0 "" plan.json -o pipe.svg
    wait
    same piped.svg plan.svg
    [ -p pipe.svg ] || wrong "a pipe was replaced"
else
    echo "graphviz is not installed: its part was left out" >&2
fi
env PATH=/nowhere "$dagdump" plan.json -o without.svg 2>err >out
[ $? -eq 1 ] && grep -q '^dagdump: without.svg: .*apt-get install graphviz' err || wrong "without graphviz: $(cat err)"
[ ! -e without.svg ] || wrong "a picture that was not drawn has a file"

# Wrong usage.
exits 2 "unknown option '--colour'" --colour plan.json
exits 2 "unknown format 'png'" --format png plan.json
exits 2 "needs a value" plan.json -o
exits 2 "needs a value" plan.json --format
exits 2 "one file too many" plan.json graph.json
exits 2 "no file to draw" -f dot
exits 2 "tells no format" plan.json -o picture.png
exits 2 "one argument too many" devices all
"$dagdump" 2>err >out
[ $? -eq 2 ] && grep -q '^usage: ' err && [ ! -s out ] || wrong "no usage without arguments"

# Bad input and output: one line that names file and line, and nothing of an output file.
exits 1 "nothing.json: cannot be opened" nothing.json -o left.dot
: >empty.json
exits 1 "empty.json:1: the file is empty" empty.json -o left.dot
head -c 300 plan.json >cut.json
exits 1 "cut.json:" cut.json -o left.dot
grep -qE '^dagdump: cut.json:[0-9]+: the file is cut off' err || wrong "cut.json: $(cat err)"
line=$(grep -n '"kernel"' graph.json | sed -n '3s/:.*//p')
sed "${line}s/\"kernel\"/7/" graph.json >bad.json
exits 1 "bad.json:$line: \"kind\" must be a text" bad.json -o left.dot
"$dagdump" - <bad.json 2>err >out
[ $? -eq 1 ] && grep -qF "dagdump: standard input:$line: " err || wrong "standard input: $(cat err)"
sed 's/"edges": \[/"edges": [[0, 1], [1, 0],/' graph.json >cycle.json
line=$(grep -n "\[1, 0\]" cycle.json | sed "s/:.*//")
exits 1 "cycle.json:$line: cycle: 'red' -> 'green' -> 'red'" cycle.json -o left.dot
[ ! -e left.dot ] || wrong "a file was left by a failure"
exits 1 "/no/such/folder/a.dot: cannot be created" plan.json -o /no/such/folder/a.dot
if [ -c /dev/full ]; then
    "$dagdump" plan.json >/dev/full 2>err
    [ $? -eq 1 ] && grep -q 'standard output: cannot be written' err || wrong "a full disk: $(cat err)"
fi
cp plan.dot old.dot
exits 1 "empty.json:1" empty.json -o old.dot
same old.dot plan.dot
[ -z "$(find . -name '*.part')" ] || wrong "a temporary file was left"

# The rest.
exits 0 "" --help
grep -q '^usage: dagdump' out && grep -q 'devices' out || wrong "--help: $(cat out)"
exits 0 "" --version
grep -qE '^dagdump [0-9]+\.[0-9]+\.[0-9]+$' out || wrong "--version: $(cat out)"
exits 0 "" devices
grep -qE '^host +yes +[0-9]+ +[0-9]+ ' out || wrong "devices does not list the host: $(cat out)"
grep -qE '^cuda +(yes|no) ' out || wrong "devices does not list cuda: $(cat out)"
grep -qE '^cuda +yes ' out || grep -qE 'why not: .+' out || wrong "devices does not say why there is no cuda: $(cat out)"

[ $failures -eq 0 ] || { echo "$failures wrong" >&2; exit 1; }
