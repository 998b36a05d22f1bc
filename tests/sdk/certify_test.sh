#!/bin/bash
# certify_test.sh ASSAY EXAMPLE: certifies an example of an SDK, or convicts the one with a planted bug; 77 and the
# reason where it cannot be run.
set -u
assay=$1 example=$2
here=$(readlink -f -- "${0%/*}") && sdk=${here%/tests/sdk}/drivers/sdk
top=$(mktemp -d) && cd "$top" || exit 3
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; cd / && rm -rf "$top"' EXIT
export PYTHONDONTWRITEBYTECODE=1

skip() {
  echo "skipped: $*"
  exit 77
}
die() {
  cat out err 2>/dev/null
  echo "FAILED: $*"
  exit 1
}
# ends STATUS arguments...: what assay says is in ./out and ./err
ends() {
  local expected=$1 status=0
  shift
  "$assay" "$@" >out 2>err || status=$?
  [ $status -eq "$expected" ] || die "assay $* ended with $status, not $expected"
}
certified() { ends 0 certify "$@" --seed 1 --quiet --out run; tail -n 1 out; }

case $example in
node_*)
  command -v node >/dev/null || skip "there is no node"
  node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' || skip "node is older than 18"
  ;;
*)
  command -v python3 >/dev/null || skip "there is no python3"
  python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || skip "python3 is older than 3.9"
  ;;
esac

# All but the payload of ten mebibytes, which takes longer than the rest together.
most=(--rules 'A*' 'C*' 'D*' 'ERR-*' 'F*' 'H*' 'I*' 'L*' 'O*' 'P*' 'R*' 'S*' 'X*')

case $example in
python_memory) certified "exec:python3 '$sdk/python/examples/memory_queue.py'" --cases 40 ;;
python_sqlite)
  certified "exec:python3 '$sdk/python/examples/sqlite_queue.py'" --driver-url "$top/a.db" --cases 4 "${most[@]}"
  ;;
python_sqlite_jobs)
  certified "exec:python3 '$sdk/python/examples/sqlite_queue.py'" --driver-url "$top/a.db" --cases 4 --jobs 2 \
    --rules 'FENCE-*'
  ;;
node_memory) certified "exec:node '$sdk/node/examples/memory_queue.mjs'" --cases 40 "${most[@]}" ;;
python_tcp)
  python3 "$sdk/python/examples/memory_queue.py" --listen 127.0.0.1:0 2>listening &
  server=$!
  for _ in $(seq 300); do
    grep -q '^listening on ' listening && break
    sleep 0.1
  done
  address=$(sed -n 's/^listening on //p' listening)
  [ -n "$address" ] || die "the driver does not listen: $(cat listening)"
  certified "tcp:$address" --cases 20 --rules 'FENCE-*' 'LEASE-*' 'RETRY-*'
  ;;
python_careless)
  ends 1 certify "exec:python3 '$here/careless_queue.py'" --seed 1 --cases 20 --rules 'FENCE-*' --out run
  grep -q '^FAIL FENCE-2: ' out || die "FENCE-2 does not tell the planted bug"
  replay=$(grep -E '^[^ ]+ replay assay1-' out | tail -n 1)
  [ -n "$replay" ] || die "there is no line to replay it"
  status=0
  sh -c "$replay" >replayed 2>err || status=$?
  [ $status -eq 1 ] && grep -q '^MATCH' replayed || { cat replayed; die "'$replay' ended with $status"; }
  grep '^MATCH' replayed
  ;;
*) exit 2 ;;
esac
