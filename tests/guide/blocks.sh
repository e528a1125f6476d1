#!/usr/bin/env bash
# blocks.sh DOCUMENT AROUND NVCC COMPILER ARGUMENT... - every C block of a document does what the document says. NVCC may be `none`.
#
# A ```c block is a whole program if it has a main, otherwise the body of a function in AROUND (examples/guide/around.c). It is
# compiled, run, and must print what the next block, a ``` one, holds. After a line <!-- FILE --> it must also be that file, a path from
# the folder of the document. A ```cuda block is compiled where there is an nvcc. Links to files lead somewhere.
set -euo pipefail
document=$1 around=$2 nvcc=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset WEIR_LANES WEIR_WORKERS WEIR_POLICY WEIR_BACKEND WEIR_MODE WEIR_SHUFFLE WEIR_DEBUG WEIR_DUMP WEIR_TRACE WEIR_LOG
name=$(basename "$document")
wrongs=0

wrong() {
    echo "$name:$*" >&2
    wrongs=$((wrongs + 1))
}

# Writes block LINE into LINE.c or LINE.cu, what it prints into LINE.out, the file it must be into LINE.file; says what cannot be split so.
if ! awk -v work="$work" '
    function stop(what) { print FILENAME ":" NR ": " what; bad = 1; exit }
    function needs_output() { return block != "" && !printed }
    /^```/ && kind == "" {
        language = substr($0, 4)
        if (language == "c" || language == "cuda") {
            if (needs_output())
                stop("no output follows the C block of line " block)
            kind = language
            base = work "/" NR
            if (kind == "c") {
                block = NR
                printed = 0
                into = base ".c"
            } else {
                into = base ".cu"
            }
            printf "" > into
            if (match(before, /^<!-- .* -->$/))
                print substr(before, 6, length(before) - 9) > (base ".file")
        } else if (language == "") {
            if (!needs_output())
                stop("output without a C block before it")
            kind = "output"
            printed = 1
            into = work "/" block ".out"
            printf "" > into
        } else if (language == "sh" || language == "cmake") {
            kind = language
            into = "/dev/null"
        } else {
            stop("a block of language \"" language "\", which is none of c, cuda, sh, cmake")
        }
        next
    }
    /^```/ {
        if ($0 != "```")
            stop("a block begins inside another")
        close(into)
        kind = ""
        next
    }
    kind != "" { print > into }
    { before = $0 }
    END {
        if (!bad && kind != "")
            stop("the last block has no end")
        if (!bad && needs_output())
            stop("no output follows the C block of line " block)
        exit bad
    }' "$document" >&2; then
    exit 1
fi

# The library and what belongs to linking comes after the sources; nvcc wants to know where the headers are, and no more.
compiler=() libraries=() folders=()
for argument; do
    case $argument in
    -I*) folders+=("$argument") ;;
    *.a | *.so* | -l* | -Wl,*) libraries+=("$argument") ;;
    *) compiler+=("$argument") ;;
    esac
done

# compile LINE: to $work/LINE, with messages that name lines of the document.
compile() {
    local source=$work/$1.c block=$work/$1.block
    { echo "#line $(($1 + 1)) \"$name\""; cat "$source"; } >"$block"
    if grep -q '^int main(' "$source"; then
        "${compiler[@]}" "${folders[@]}" -x c "$block" -x none "${libraries[@]}" -o "$work/$1"
    else
        "${compiler[@]}" "${folders[@]}" -DBLOCK="\"$block\"" "$around" "${libraries[@]}" -o "$work/$1"
    fi
}

while read -r target; do
    [ -e "$(dirname "$document")/$target" ] || wrong "1: a link leads nowhere: $target"
done < <(sed '/^```/,/^```$/d' "$document" | grep -o '](.[^)]*)' | sed 's/^](//; s/)$//; s/#.*//; /^[a-z]*:/d; /^$/d')

shopt -s nullglob
for file in "$work"/*.file; do
    line=$(basename "$file" .file)
    cmp -s "$work/$line".c* "$(dirname "$document")/$(cat "$file")" || wrong "$line: the block is not $(cat "$file")"
done

count=0
for source in "$work"/*.c; do
    line=$(basename "$source" .c)
    count=$((count + 1))
    if ! compile "$line" >"$work/log" 2>&1; then
        wrong "$line: does not compile: $(cat "$work/log")"
    elif ! (cd "$work" && timeout 120 "./$line" >"$line.said" 2>log </dev/null); then
        wrong "$line: fails, after $(cat "$work/$line.said" "$work/log")"
    elif ! diff "$work/$line.out" "$work/$line.said" >"$work/log"; then
        wrong "$line: does not print what the document says (<) but something else (>):
$(cat "$work/log")"
    fi
done
[ "$count" -gt 0 ] || wrong "1: no C block found"

cuda=0
for source in "$work"/*.cu; do
    line=$(basename "$source" .cu)
    [ "$nvcc" != none ] || continue
    cuda=$((cuda + 1))
    "$nvcc" -std=c++17 -Werror=all-warnings "${folders[@]}" -c "$source" -o "$work/$line.o" >"$work/log" 2>&1 ||
        wrong "$line: does not compile: $(cat "$work/log")"
done
echo "$name: $count C blocks run, $cuda CUDA blocks compiled, $wrongs wrong"
[ "$wrongs" -eq 0 ]
