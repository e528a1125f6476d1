#!/usr/bin/env bash
# man.sh FOLDER PROGRAM... - the manual of each program is in FOLDER, has every option that the program's --help names, and its version.
set -uo pipefail
folder=$1
shift
failures=0

wrong() {
    echo "wrong: $*" >&2
    failures=$((failures + 1))
}

for program in "$@"; do
    page=$folder/$(basename "$program").1
    [ -s "$page" ] || { wrong "$page is missing"; continue; }
    text=$(sed 's/\\-/-/g' "$page")
    for option in $("$program" --help | grep -oE -- '(^|[ ,[])--?[a-z][a-z-]*' | tr -d ' ,[' | sort -u); do
        grep -qE -- "(^|[^a-z-])$option([^a-z-]|$)" <<<"$text" || wrong "$page does not tell of $option"
    done
    version=$("$program" --version | cut -d ' ' -f 2)
    head -n 2 "$page" | grep -qF "\"weir $version\"" || wrong "$page is not of version $version"
    if command -v groff >/dev/null; then
        said=$(groff -man -ww -rLL=100n -Tutf8 "$page" 2>&1 >/dev/null)
        [ -z "$said" ] || wrong "groff about $page: $said"
    fi
done

[ $failures -eq 0 ] || exit 1
