#!/usr/bin/env bash
# rooms.sh RUNTIME - RUNTIME/README.md names every file there, none that is not, and who may include whom.
set -uo pipefail
cd "$1" || exit 1
failures=0

wrong() {
    echo "runtime/README.md: $*" >&2
    failures=$((failures + 1))
}

# shellcheck disable=SC2016 # backquotes of the text
# The rooms, and what each may include, from the first table: "room: room room ...".
allowed=$(sed -n 's/^| `\([a-z/]*\)\/` | .* | \([a-z, /]*\) |$/\1: \2 /p' README.md | tr -d ,)
[ -n "$allowed" ] || wrong "no table of rooms"

# Files by the tables of each room, "folders file": a heading may name two folders.
named=$(awk '
    /^## / { folders = ""; for (i = 2; i <= NF; i++) if ($i ~ /^`.*\/`$/) folders = folders substr($i, 2, length($i) - 3) " " }
    /^\| `/ && folders != "" {
        split($0, cells, "|")
        count = split(cells[2], names, ",")
        for (i = 1; i <= count; i++) { gsub(/[` ]/, "", names[i]); print names[i], folders }
    }' README.md)

while read -r file; do
    folder=${file%/*} name=$(basename "${file%.*}")
    [ "$folder" = "$file" ] && continue # weir.c, in the text
    grep -q "^$folder: " <<<"$allowed" || wrong "no room $folder"
    grep "^$name " <<<"$named" | tr ' ' '\n' | grep -qx "$folder" || wrong "does not say what $file is for"
    while read -r included; do
        [ "$included" = weir ] || grep "^$folder: " <<<"$allowed" | cut -d: -f2 | tr ' ' '\n' | grep -qx "$included" ||
            [[ $file = backend/backends.c && $included = backend/* ]] || wrong "$file may not include $included/"
    done < <(sed -n 's/^#include "\(.*\)\/[^/]*"$/\1/p' "$file")
done < <(find . -mindepth 2 -name '*.[ch]' | sed 's/^\.\///' | sort)

while read -r name folders; do
    found=
    for folder in $folders; do
        [ -e "$folder/$name.c" ] || [ -e "$folder/$name.h" ] && found=1
    done
    [ -n "$found" ] || wrong "there is no $name in $folders"
done <<<"$named"
[ "$(wc -l <<<"$named")" -gt 50 ] || wrong "hardly a file was found in its tables"
[ $failures -eq 0 ]
