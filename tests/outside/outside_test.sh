#!/bin/bash
# outside_test.sh SOURCE_DIR BUILD_DIR [cmake -D...]: installs the build somewhere, and certifies the driver of the
# project in tests/outside against that, as its author would. Then plants a bug in it, which one rule must tell.
set -eu
source_dir=$1 build_dir=$2
shift 2
top=$(mktemp -d) && trap 'rm -rf "$top"' EXIT
die() {
  echo "FAILED: $*"
  exit 1
}
quietly() { "$@" >"$top/log" 2>&1 || { cat "$top/log"; die "$*"; }; }

quietly cmake --install "$build_dir" --prefix "$top/prefix"
package=$(dirname "$(find "$top/prefix" -name assayConfig.cmake)")
! grep -E -- '-W(all|error)|-fsanitize' "$package"/*.cmake || die "our flags leak into the package"
! grep -F -- "$source_dir" "$package"/*.cmake || die "the package points into our tree"

# Every installed header stands alone and needs only what is installed.
(cd "$top/prefix/include/assay" && find . -name '*.h' | sed 's|^\./\(.*\)|#include "\1"|') >"$top/all.cpp"
[ "$(grep -c . "$top/all.cpp")" -gt 20 ] || die "hardly any header was installed"
quietly "${CXX:-c++}" -std=c++20 -Wall -Wextra -fsyntax-only -I "$top/prefix/include/assay" "$top/all.cpp"

cp -r "$source_dir/tests/outside" "$top/project"
quietly cmake -G Ninja -S "$top/project" -B "$top/build" -DCMAKE_PREFIX_PATH="$top/prefix" "$@"
quietly cmake --build "$top/build"

"$top/build/tiny_queue_test" --gtest_list_tests >"$top/rules"
for rule in FENCE_2 LEASE_2 ACK_1; do
  grep -q "^  Keeps/$rule\b" "$top/rules" || die "rule $rule is no test: $(cat "$top/rules")"
done
"$top/build/tiny_queue_test" || die "the correct driver was not certified"

sed -i '/lease->token != hold.token/d' "$top/project/tiny_queue.cpp"
quietly cmake --build "$top/build"
if "$top/build/tiny_queue_test" >"$top/log" 2>&1; then die "a driver that checks no token was certified"; fi
grep -q 'FAILED.*Keeps/FENCE_' "$top/log" || { cat "$top/log"; die "no fencing rule told the planted bug"; }
echo "and a driver that checks no token fails: $(grep -c '^\[  FAILED  \] Assay/.*ms)' "$top/log") rules told it"

token=$(sed -n 's/^ASSAY_REPLAY=//p' "$top/log" | head -n 1)
[ -n "$token" ] || { cat "$top/log"; die "no token to replay"; }
if ASSAY_REPLAY=$token "$top/build/tiny_queue_test" >"$top/log" 2>&1; then die "a replay convicted nothing"; fi
grep -q '^MATCH: history' "$top/log" || { cat "$top/log"; die "a replay gave another history"; }
echo "and replaying its token runs $(grep -c '^\[ RUN .*Keeps/' "$top/log") rule alone, with the same history"
if ASSAY_REPLAY=nonsense "$top/build/tiny_queue_test" >"$top/log" 2>&1; then die "nonsense was replayed"; fi
grep -q 'ASSAY_REPLAY: .*neither an assay token' "$top/log" || { cat "$top/log"; die "nonsense was not named"; }
