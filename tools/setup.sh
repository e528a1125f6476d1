# shellcheck shell=bash
# setup.sh - sourced by the scripts beside it. Gets a bare machine to a configured build folder: installs Debian packages where
# that may be done, and otherwise says exactly what to install.

# fail "what, and what to do": ends the script with the exit status of bad input.
fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# need_packages PACKAGE...: returns when all are installed, ends the script when one is missing and stays so.
need_packages() {
    if ! command -v dpkg-query >/dev/null; then
        echo "${0##*/}: this is no Debian or Ubuntu; if the build stops, install what these packages hold: $*" >&2
        return
    fi
    local package missing=()
    for package in "$@"; do
        dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return

    local root=() said install=(apt-get install -y --no-install-recommends "${missing[@]}")
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
            fail "packages are missing, and only root may install them. Run as root: ${install[*]}"
        fi
        root=(sudo -n)
    fi
    echo "${0##*/}: installing ${missing[*]}"
    # Old lists may still do, so what counts is whether installing succeeds.
    said=$({
        "${root[@]}" apt-get update -q
        "${root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}"
    } 2>&1 </dev/null) || {
        echo "$said" >&2
        fail "could not install packages, see above. Run as root: ${install[*]}"
    }
}

# configure FOLDER ARGUMENT...: cmake, quiet unless it fails, starting afresh where an old build folder is in the way.
configure() {
    local folder=$1
    shift
    mkdir -p "$folder"
    cmake -B "$folder" "$@" >"$folder/configure.log" 2>&1 ||
        cmake --fresh -B "$folder" "$@" >"$folder/configure.log" 2>&1 || {
        cat "$folder/configure.log" >&2
        fail "could not configure, see above"
    }
    grep CUDA: "$folder/configure.log" || true
}

# Jobs to build with: as many as there are processors, but no more than there is memory for (1 GiB each).
jobs_to_build_with() {
    local processors gib
    processors=$(nproc)
    gib=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo)
    [ "${gib:-$processors}" -lt "$processors" ] && processors=$gib
    [ "$processors" -ge 1 ] && echo "$processors" || echo 1
}
