#!/usr/bin/env bash
# programs.sh SOURCE BUILD - a small C and a small C++ program find weir in every way that is promised: the CMake package, pkg-config,
# add_subdirectory and FetchContent; the library static and shared; the installed tree moved elsewhere after installing.
set -euo pipefail
source=$1 build=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=/nonexistent # nothing may be kept there
jobs=$(($(nproc) < 4 ? $(nproc) : 4))
# As in the build, where there is CUDA: code for all of them takes its time.
mapfile -t architectures < <(sed -n 's/^\(CMAKE_CUDA_ARCHITECTURES\):.*=\(..*\)/-D\1=\2/p' "$build/CMakeCache.txt")

# quietly COMMAND...: shows the output of a command that fails.
quietly() {
    "$@" >"$work/log" 2>&1 || {
        echo "failed: $*" >&2
        cat "$work/log" >&2
        exit 1
    }
}

# runs PROGRAM [WORDS]: it must print the version that the headers tell, and the words.
version=$(sed -n 's/^#define WEIR_VERSION_[A-Z]* //p' "$source/include/weir/version.h" | paste -sd.)
runs() {
    local said
    said=$("$1") || { echo "$1 failed" >&2; exit 1; }
    [ "$said" = "weir $version: ${2-2 tasks}" ] || { echo "$1 says '$said'" >&2; exit 1; }
}

# by_cmake NAME ARGUMENT...: configures, builds and runs the programs.
by_cmake() {
    local name=$1
    shift
    quietly cmake -S "$here/program" -B "$work/$name" "$@"
    quietly cmake --build "$work/$name" -j "$jobs"
    runs "$work/$name/in_c"
    runs "$work/$name/in_cxx"
    [ ! -e "$work/$name/with_cuda" ] || runs "$work/$name/with_cuda" "no kernel"
}

# by_pkg_config PREFIX NAME [static]: the same without CMake. The programs find the shared library through their rpath.
by_pkg_config() {
    local prefix=$1 name=$2 flags compiler
    flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name weir.pc)") pkg-config ${3+--static} --cflags --libs weir)
    [ "${3-}" != static ] || flags=${flags/-lweir/-l:libweir.a}
    for compiler in "cc -std=c11 -x c" "c++ -std=c++11 -x c++"; do
        # shellcheck disable=SC2086 # flags and options are words
        quietly $compiler -Wall -Wextra -Wpedantic -Werror "$here/program/program.c" -x none $flags \
            -Wl,-rpath,"$(dirname "$(find "$prefix" -name libweir.a)")" -o "$work/$name"
        runs "$work/$name"
    done
}

quietly cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/installed"
archive=$(find "$work/installed" -name libweir.a) library=$(find "$work/installed" -name "libweir.so.$version")
[ -n "$archive" ] || { echo "no libweir.a was installed" >&2; exit 1; }
[ -n "$library" ] || { echo "no libweir.so.$version was installed" >&2; exit 1; }
objdump -p "$library" | grep -q "SONAME *libweir.so.${version%.*}$" || { echo "$library: wrong soname" >&2; exit 1; }
# What is not declared in a public header must not be seen outside; what an archive cannot hide must be named so that it hurts nobody.
seen=$(nm -D --defined-only "$library" | awk '{ print $3 }' | grep -vxF -f <(grep -ohE '\bweir_[a-z0-9_]+' "$source"/include/weir/*.h) || true)
[ -z "$seen" ] || { echo "exported, but in no public header: $seen" >&2; exit 1; }
# NVTX is headers alone: what is theirs is weak, and one for all that include them.
strange=$(nm -g --defined-only "$archive" | awk 'NF == 3 && !($2 ~ /[VvWw]/ && tolower($3) ~ /nvtx/) { print $3 }' | grep -v '^weir_' || true)
[ -z "$strange" ] || { echo "global, but not weir_...: $strange" >&2; exit 1; }
# Where CUDA's own libraries are, the loader need not know.
if objdump -p "$library" | grep -q 'NEEDED *libcudart'; then
    objdump -p "$library" | grep -q 'R.*PATH .*/' || { echo "$library does not say where cudart is" >&2; exit 1; }
    grep -q '^set(weir_CUDA ON)' "$(find "$work/installed" -name weir-config.cmake)" || { echo "the package keeps quiet about CUDA" >&2; exit 1; }
fi

by_cmake package -DWAY=package -DCMAKE_PREFIX_PATH="$work/installed"
by_cmake shared_package -DWAY=package -DCMAKE_PREFIX_PATH="$work/installed" -DBUILD_SHARED_LIBS=ON
ldd "$work/shared_package/in_c" | grep -q libweir.so || { echo "BUILD_SHARED_LIBS did not get the shared library" >&2; exit 1; }
by_pkg_config "$work/installed" by_pkg_config
by_pkg_config "$work/installed" by_pkg_config_static static

quietly cmake -S "$work/installed/share/weir/examples" -B "$work/examples" -DCMAKE_PREFIX_PATH="$work/installed" -DCMAKE_BUILD_TYPE=Release \
    "${architectures[@]}"
quietly cmake --build "$work/examples" -j "$jobs"
[ "$("$work/examples/examples/hello")" = "1 + 4 + ... + 64 = 204" ] || { echo "the installed hello says something else" >&2; exit 1; }
quietly "$work/examples/examples/fluid" --frames 2 --size 64x64 --output none

by_cmake subdirectory -DWAY=subdirectory -DWEIR_SOURCE="$source"
by_cmake fetched -DWAY=fetch -DWEIR_SOURCE="$source" -DWEIR_CUDA=OFF # as on a machine without
