#!/usr/bin/env bash
# test.sh - builds weir with assertions on and runs every test but those labelled `long`.
#     tools/test.sh [arguments for ctest ...]     as in: tools/test.sh -R plan/
# Installs missing packages where it may, builds in build/test, and can be run from any folder.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$top/tools/setup.sh"

need_packages build-essential cmake pkg-config check uthash-dev libpng-dev libfftw3-dev libjansson-dev libgraphviz-dev graphviz

build=$top/build/test
configure "$build" -S "$top" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O2 -g"
cmake --build "$build" -j "$(jobs_to_build_with)" || fail "could not build, see above"
ctest --test-dir "$build" --output-on-failure --label-exclude '^long$' "$@"
