# build.sh: what ./assay and ./test share: packages, one build at a time, quiet building.
#
# Sourced by a POSIX shell; the caller sets `root`. Words for people go to stderr. Whatever fails
# says why and leaves the (sub)shell with 3.

say() { printf 'assay: %s\n' "$*" >&2; }

give_up() {
  say "$*"
  exit 3
}

# The packages of the given uses, on one line.
packages() {
  for use in "$@"; do sed -n "s/^$use //p" "$root/docker/packages.txt"; done | tr '\n' ' '
}

# Those of the given packages that are not installed.
missing() {
  installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^installed //p' | tr '\n' ' ')"
  for package in "$@"; do
    case $installed in *" $package "*) ;; *) printf '%s ' "$package" ;; esac
  done
}

# Installs what is missing of the given packages, in one call that is announced.
install_packages() {
  wanted=$(missing "$@")
  [ -n "$wanted" ] || return 0
  by_hand="needed packages are missing: $wanted"
  command -v apt-get >/dev/null ||
    give_up "$by_hand- there is no apt-get here: install them yourself, then set ASSAY_PACKAGES=skip"
  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      give_up "$by_hand- neither root nor sudo: have them installed with apt-get install $wanted"
    as_root=sudo
  fi
  exec 8>"$root/build/.packages.lock" && flock 8
  log=$root/build/packages.log
  if [ -z "$(find /var/lib/apt/lists -name '*_Packages*' -ctime -1 -print -quit 2>/dev/null)" ]; then
    say "apt-get update (the package lists are absent or over a day old)"
    $as_root apt-get update >"$log" 2>&1 8>&- || say "apt-get update failed; going on without"
  fi
  say "apt-get install $wanted"
  # shellcheck disable=SC2086  # a list of names
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends $wanted >>"$log" 2>&1 8>&- || {
    tail -n 20 "$log" >&2
    give_up "apt-get install failed; all it said is in $log"
  }
  exec 8>&-
}

# Holds until the shell ends that nobody else builds this preset.
lock_build() {
  mkdir -p "$root/build/$1" && exec 9>"$root/build/$1/.lock" || give_up "cannot write to $root/build"
  flock -n 9 || {
    say "waiting for another build of $root"
    flock 9
  }
}

# configure PRESET: a tree that was copied or moved here is configured from scratch.
configure() {
  cache=$root/build/$1/CMakeCache.txt
  set -- --preset "$1"
  [ ! -f "$cache" ] || grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache" || set -- --fresh "$@"
  ! command -v ccache >/dev/null || set -- "$@" -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  (cd "$root" && cmake "$@") >>"$log" 2>&1
}

# build_preset PRESET USE...: installs the packages of the uses where that is needed, and builds.
build_preset() {
  preset=$1
  shift
  folder=$root/build/$preset
  list=$(packages "$@")
  # The stamp is as old as the beginning of the build: an edit meanwhile is newer.
  : >"$folder/.begun"
  if [ "${ASSAY_PACKAGES:-}" != skip ] && [ "$list" != "$(cat "$folder/.packages" 2>/dev/null)" ]; then
    # shellcheck disable=SC2086
    install_packages $list
    printf '%s\n' "$list" >"$folder/.packages"
  fi
  if [ -f "$folder/.built" ]; then say "building Assay (sources changed)..."
  else say "building Assay (first time: about $((1 + 12 / $(nproc))) minutes)..."; fi
  log=$folder/build.log
  : >"$log"
  configure "$preset" || {
    # shellcheck disable=SC2086
    [ "${ASSAY_PACKAGES:-}" = skip ] || install_packages $list
    log=$folder/build.log
    configure "$preset" || build_failed
  }
  (cd "$root" && cmake --build --preset "$preset" --parallel "$(nproc)") >>"$log" 2>&1 || build_failed
  mv "$folder/.begun" "$folder/.built"
}

build_failed() {
  tail -n 30 "$log" >&2
  give_up "the build failed; all it said is in $log"
}
