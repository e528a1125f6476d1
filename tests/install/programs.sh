#!/usr/bin/env bash
# programs.sh SOURCE BUILD - a small C and a small C++ program find weir in every way that is promised: the CMake package, pkg-config,
# add_subdirectory and FetchContent; the library static and shared; the installed tree moved elsewhere after installing.
set -euo pipefail
source=$1 build=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=/nonexistent # nothing may be kept there

# quietly COMMAND...: shows the output of a command that fails.
quietly() {
    "$@" >"$work/log" 2>&1 || {
        echo "failed: $*" >&2
        cat "$work/log" >&2
        exit 1
    }
}

# runs PROGRAM: it must print the version that the headers tell.
version=$(sed -n 's/^#define WEIR_VERSION_[A-Z]* //p' "$source/include/weir/version.h" | paste -sd.)
runs() {
    local said
    said=$("$1") || { echo "$1 failed" >&2; exit 1; }
    [ "$said" = "weir $version: 2 tasks" ] || { echo "$1 says '$said'" >&2; exit 1; }
}

# by_cmake NAME ARGUMENT...: configures, builds and runs both programs.
by_cmake() {
    local name=$1
    shift
    quietly cmake -S "$here/program" -B "$work/$name" "$@"
    quietly cmake --build "$work/$name"
    runs "$work/$name/in_c"
    runs "$work/$name/in_cxx"
}

# by_pkg_config PREFIX NAME: the same without CMake. The programs find a shared library through their rpath.
by_pkg_config() {
    local prefix=$1 name=$2 flags compiler
    flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name weir.pc)") pkg-config --cflags --libs weir)
    for compiler in "cc -std=c11 -x c" "c++ -std=c++11 -x c++"; do
        # shellcheck disable=SC2086 # flags and options are words
        quietly $compiler -Wall -Wextra -Wpedantic -Werror "$here/program/program.c" -x none $flags \
            -Wl,-rpath,"$(dirname "$(find "$prefix" -name 'libweir.*' | head -1)")" -o "$work/$name"
        runs "$work/$name"
    done
}

quietly cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/static"
by_cmake package -DWAY=package -DCMAKE_PREFIX_PATH="$work/static"
by_pkg_config "$work/static" by_pkg_config

quietly cmake -S "$source" -B "$work/shared_build" -DBUILD_SHARED_LIBS=ON -DWEIR_CUDA=OFF -DWEIR_TESTS=OFF -DWEIR_EXAMPLES=OFF -DWEIR_TOOLS=OFF
quietly cmake --build "$work/shared_build"
quietly cmake --install "$work/shared_build" --prefix "$work/shared"
library=$(find "$work/shared" -name "libweir.so.$version")
[ -n "$library" ] || { echo "no libweir.so.$version was installed" >&2; exit 1; }
objdump -p "$library" | grep -q "SONAME *libweir.so.${version%.*}$" || { echo "$library: wrong soname" >&2; exit 1; }
# What is not declared in a public header must not be seen outside.
hidden=$(nm -D --defined-only "$library" | awk '{ print $3 }' | grep -vxF -f <(grep -ohE '\bweir_[a-z0-9_]+' "$source"/include/weir/*.h) || true)
[ -z "$hidden" ] || { echo "exported, but in no public header: $hidden" >&2; exit 1; }
by_cmake shared_package -DWAY=package -DCMAKE_PREFIX_PATH="$work/shared"
by_pkg_config "$work/shared" by_pkg_config_shared

by_cmake subdirectory -DWAY=subdirectory -DWEIR_SOURCE="$source"
by_cmake fetched -DWAY=fetch -DWEIR_SOURCE="$source"
