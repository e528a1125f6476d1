#!/usr/bin/env bash
# rooms.sh RUNTIME - RUNTIME/README.md names every file there, none that is not, and who may include whom.
set -euo pipefail
cd "$1"
mapfile -t files < <(find . -mindepth 2 -name '*.[ch]' | sed 's/^\.\///' | sort)

# The first file is the text: the rooms and what each may include by its first table, files by the tables of each room, of which a heading may
# name two. All others are code.
awk '
    function wrong(what) { print "runtime/README.md: " what > "/dev/stderr"; failures++ }
    function folder_of(path) { sub(/\/[^\/]*$/, "", path); return path }
    function name_of(path) { sub(/.*\//, "", path); sub(/\.[ch]$/, "", path); return path }

    NR == FNR && /^## / {
        folders = ""
        for (i = 2; i <= NF; i++)
            if ($i ~ /^`.*\/`$/)
                folders = folders substr($i, 2, length($i) - 3) " "
    }
    NR == FNR && /^\| `[a-z\/]*\/` \| .* \| [a-z, \/]* \|$/ && folders == "" {
        split($0, cells, "|")
        room = cells[2]
        gsub(/[` ]|\/`/, "", room)
        sub(/\/$/, "", room)
        rooms[room] = 1
        count = split(cells[4], others, ",")
        for (i = 1; i <= count; i++) { gsub(/ /, "", others[i]); allowed[room, others[i]] = 1 }
        next
    }
    NR == FNR && /^\| `/ && folders != "" {
        split($0, cells, "|")
        count = split(cells[2], names, ",")
        for (i = 1; i <= count; i++) {
            gsub(/[` ]/, "", names[i])
            wanted[++wanted_count] = names[i]
            wanted_in[wanted_count] = folders
            of = split(folders, each, " ")
            for (k = 1; k <= of; k++)
                named[each[k], names[i]] = 1
        }
    }
    NR == FNR { next }

    FNR == 1 {
        folder = folder_of(FILENAME)
        there[folder, name_of(FILENAME)] = 1
        if (!(folder in rooms))
            wrong("no room " folder)
        if (!((folder, name_of(FILENAME)) in named))
            wrong("does not say what " FILENAME " is for")
    }
    /^#include ".*\/[^\/]*"$/ {
        included = $0
        sub(/^#include "/, "", included)
        included = folder_of(included)
        listed = FILENAME == "backend/backends.c" && included ~ /^backend\//
        if (included != "weir" && !((folder, included) in allowed) && !listed)
            wrong(FILENAME " may not include " included "/")
    }

    END {
        for (i = 1; i <= wanted_count; i++) {
            of = split(wanted_in[i], each, " ")
            found = 0
            for (k = 1; k <= of; k++)
                found = found || ((each[k], wanted[i]) in there)
            if (!found)
                wrong("there is no " wanted[i] " in " wanted_in[i])
        }
        if (wanted_count <= 50)
            wrong("hardly a file was found in its tables")
        exit failures > 0
    }' README.md "${files[@]}"
