#!/bin/bash
# launcher_test.sh SOURCE_DIR: ./assay and ./test, in a copy whose PATH holds stand-ins for apt-get, dpkg-query, cmake
# and ctest. Each stand-in writes its call down in calls/.
set -u
source_dir=$1
top=$(mktemp -d) && trap 'rm -rf "$top"' EXIT
failures=0

check() { # check SENTENCE COMMAND...
  local sentence=$1
  shift
  if "$@"; then echo "ok: $sentence"; else
    echo "FAILED: $sentence"
    [ ! -f "$world/err" ] || sed 's/^/    stderr: /' "$world/err"
    failures=$((failures + 1))
  fi
}
calls() { cat "$world/calls/$1" 2>/dev/null | grep -c .; }
called() { [ "$(calls "$1")" = "$2" ]; }
says() { grep -q -- "$1" "$world/err"; }
status_is() { [ "$status" = "$1" ]; }
prints() { [ "$(cat "$world/out")" = "$1" ]; }

stand_in() { # stand_in NAME, its script on stdin; the call has been written down before it
  {
    printf '#!/bin/sh\nprintf "%%s\\n" "$*" >>"%s/calls/%s"\n' "$world" "$1"
    cat
  } >"$world/bin/$1"
  chmod +x "$world/bin/$1"
}

# A fresh clone at "$root", on a machine where every package is missing, as root.
new_world() {
  world=$top/$1
  root="$world/a clone"
  mkdir -p "$world/bin" "$world/calls" "$root/docker" "$root/harness/sub" "$root/drivers/sdk/python"
  cp "$source_dir/assay" "$source_dir/test" "$root/"
  cp "$source_dir/docker/build.sh" "$source_dir/docker/packages.txt" "$root/docker/"
  touch "$root/CMakeLists.txt" "$root/CMakePresets.json" "$root/harness/sub/a.cpp" "$root/harness/sub/b.cpp"
  for tool in sh cat chmod env find flock grep mkdir mv nproc readlink sed tail touch tr; do
    ln -s "$(command -v $tool)" "$world/bin/$tool"
  done
  stand_in id <<<'echo 0'
  stand_in dpkg-query <<<"cat '$world/installed' 2>/dev/null"
  stand_in apt-get <<EOF
grep -q 'apt-get install' '$world/err' && echo yes >>'$world/calls/announced'
case \$1 in install) for p; do echo "installed \$p"; done >'$world/installed' ;; esac
EOF
  stand_in cmake <<EOF
[ ! -f '$world/breaks' ] || { echo 'a compiler said no'; exit 1; }
case \$1 in
--build) mkdir -p build/release build/dev
  printf '%s\n' '#!/bin/sh' 'for a; do printf "<%s>" "\$a"; done; echo; exit 7' >build/release/assay
  chmod +x build/release/assay ;;
esac
EOF
  stand_in ctest <<<'echo "100% tests passed"; exit 5'
}

run() { # run COMMAND...: with the stand-ins' PATH only
  PATH="$world/bin" "$@" >"$world/out" 2>"$world/err" </dev/null
  status=$?
}

new_world no_apt
rm "$world/bin/apt-get"
run "$root/assay"
check "without apt-get it gives up with 3" status_is 3
check "and names what is missing" says "missing: cmake ninja-build g++"
check "and says why" says "no apt-get"
check "and builds nothing" called cmake 0

new_world no_root
stand_in id <<<'echo 1000'
run "$root/assay"
check "neither root nor sudo: it gives up with 3" status_is 3
check "and says so" says "neither root nor sudo"
check "and does not call apt-get" called apt-get 0

stand_in sudo <<<'exec "$@"'
run "$root/assay"
check "with sudo it installs through sudo" test "$(grep -c install "$world/calls/sudo")" = 1

new_world first
run "$root/assay" certify "two words" "" '*' --x=1
check "the arguments arrive untouched and the status comes back" status_is 7
check "and only the program writes to stdout" prints '<certify><two words><><*><--x=1>'
check "one apt-get install call" test "$(grep -c '^install' "$world/calls/apt-get")" = 1
check "for all that is missing" grep -q 'cmake ninja-build .*zlib1g-dev' "$world/calls/apt-get"
check "and for no test package" test "$(grep -c gtest "$world/calls/apt-get")" = 0
check "said before it is made" test -s "$world/calls/announced"
check "one line says that it builds" says "building Assay (first time: about"

rm "$world/calls/"*
run "$root/assay"
check "with nothing changed it calls no cmake" called cmake 0
check "and asks for no package" called dpkg-query 0
check "and says nothing" test ! -s "$world/err"
mkdir "$root/drivers/sdk/python/__pycache__"
run "$root/assay"
check "what Python leaves in an SDK does not matter" called cmake 0

echo edit >"$root/harness/sub/a.cpp"
run "$root/assay"
check "an edited file is noticed" called cmake 2
check "and packages are not asked for again" called dpkg-query 0
rm "$root/harness/sub/b.cpp"
run "$root/assay"
check "a deleted file is noticed" called cmake 4
touch -d 2001-01-01 "$world/old" && cp -p "$world/old" "$root/harness/sub/a.cpp"
run "$root/assay"
check "a file with an old date is noticed" called cmake 6
echo 'build another-package' >>"$root/docker/packages.txt"
run "$root/assay"
check "a longer list of packages is noticed" grep -q '^install .*another-package' "$world/calls/apt-get"
check "and only what is missing is installed" test "$(grep -c 'ninja' "$world/calls/apt-get")" = 0

ln -s "$root/assay" "$world/link"
cd / && run "$world/link" x
check "it works through a link, from another folder" prints '<x>'

before=$(calls cmake)
touch "$world/breaks" "$root/CMakeLists.txt"
run "$root/assay"
check "a failed build gives 3" status_is 3
check "and shows the end of the log" says "a compiler said no"
check "and names the log" says "build/release/build.log"
check "and asked for packages when configuring failed" test "$(calls dpkg-query)" -gt 0
rm "$world/breaks"
run "$root/assay"
check "and the next call builds again" test "$(calls cmake)" = $((before + 4))

new_world twice
PATH="$world/bin" "$root/assay" >/dev/null 2>"$world/err" & first=$!
PATH="$world/bin" "$root/assay" >/dev/null 2>"$world/err" & second=$!
wait $first; wait $second
check "two at once build once" test "$(grep -c -- --build "$world/calls/cmake")" = 1

new_world test_script
run "$root/test" -R "some thing"
check "./test gives ctest's status" status_is 5
check "and passes arguments on" grep -q -- '-R some thing$' "$world/calls/ctest"
check "and its last line is ctest's" test "$(tail -n 1 "$world/out")" = "100% tests passed"
check "and installs the test packages in the same call" grep -q 'cmake .*libgtest-dev' "$world/calls/apt-get"

new_world timing
run "$root/assay"
now_us() { echo $((${EPOCHREALTIME/[.,]/})); }
begin=$(now_us)
for _ in 1 2 3 4 5 6 7 8 9 10; do "$root/build/release/assay" >/dev/null; done
middle=$(now_us)
for _ in 1 2 3 4 5 6 7 8 9 10; do "$root/assay" >/dev/null; done
echo "measured: with nothing changed the launcher adds $((($(now_us) - middle - (middle - begin)) / 10)) us"

[ $failures = 0 ] || { echo "$failures failed"; exit 1; }
