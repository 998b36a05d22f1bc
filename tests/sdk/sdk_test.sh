#!/bin/sh
# sdk_test.sh python|node|walk ASSAY: the tests of an SDK, or of the walk in docs/writing-a-driver.md; 77 and the reason
# where they cannot be run.
here=${0%/*}

skip() {
  echo "skipped: $*"
  exit 77
}

case $1 in
python | walk)
  command -v python3 >/dev/null || skip "there is no python3"
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip "python3 is older than 3.9"
  export PYTHONDONTWRITEBYTECODE=1
  [ "$1" = python ] || exec python3 "$here/../walk/walk_test.py" "$2"
  exec python3 "$here/python_test.py"
  ;;
node)
  command -v node >/dev/null || skip "there is no node"
  node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' || skip "node is older than 18"
  exec node --test "$here/node_test.mjs"
  ;;
esac
exit 2
