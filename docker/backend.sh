# backend.sh: what docker/postgres and docker/redis share: the verbs, the state folder, killing a
# server whole, and the two ways to have one: a process of this machine, or a container.
#
# Sourced by a POSIX shell. Before that the caller sets `server`, `title`, `package`, `account`,
# `client`, and defines or sets:
#   find_native          sets `version`, and what it needs to start; false where there is none
#   make_data            fills the empty folder $data, once
#   write_config         writes $state/server.conf for $listen, $port, $data and $settings
#   run_native           becomes the server
#   is_ready             the server with pid $pid answers us, and not somebody else's
#   server_time          what time the server has, when asked; in milliseconds since 1970
#   wake_native          has its processes look at the clock that was moved
#   farewell             the signal that ends it in good order, whoever is connected
#   forget_native        removes what killed ones left outside of their data, once they are gone
#   lost_its_port        it ended because somebody has its port
#   version_from         `SERVER --version` on stdin, the bare number on stdout
#   show_url, run_client
# and what replica.sh wants. Then it calls `main "$@"`.
#
# The state folder: kind, version, port, pid, owner; password and url, for the owner's eyes only;
# server.conf, settings, server.log; data/, which a crash leaves and `stop` removes, or data_folder,
# which says where they are instead; for one that lives by a clock of ours, clock
# (harness/clock/control.h) and clock_library.
umask 077

say() { printf '%s\n' "${0##*/}: $*" >&2; }

give_up() {
  say "$*"
  exit 3
}

wrong_usage() {
  say "$*; see ${0##*/} --help"
  exit 64
}

help() {
  cat <<END
usage: ${0##*/} start [--dir DIR] [--data DIR] [--backend native|docker|auto] [--set NAME=VALUE]... [--clock LIBRARY]
       ${0##*/}       [--replica $replica_modes]
       ${0##*/} url|$client|clock|crash|pause|go-on|shutdown|processes|limit-memory|restart|hold-back|fail-over|stop
       ${0##*/}       [--dir DIR] [--lag] [ARGUMENTS of $client] [WHEN] [BYTES]

A throwaway $title on a free port of 127.0.0.1, with a random password.

  start    starts one and says where its state is. --set: a setting of the server's, as often as
           needed. auto, the default: a process of this machine where $title is installed, else a
           container where a Docker engine answers. --clock: it lives by a clock of its own, which
           begins at 2030-01-01T00:00:00Z and stands still; LIBRARY is what the build made of it,
           build/*/harness/clock/libassay_clock.so. Not for containers. --replica: a second one
           follows it. --data: a folder for its data, instead of the one for its state. Neither is
           for containers
  url      where it is, with the password
  $client$(printf '%*s' $((9 - ${#client})) '')talks to it; what stands behind --dir is for $client
  clock    asks it what time it has, after moving its clock to WHEN, if that is given:
           2030-01-01T01:00:00Z, or +3600.5, in seconds from where it stands
  crash    kills every process of it at once (SIGKILL); its data and its clock stay
  pause    every process of it stands still (SIGSTOP), until go-on lets them go
  shutdown ends it in good order, as the system does when it is shut down; its data stay
  processes
           the numbers of its processes
  limit-memory
           each of them gets no more than BYTES besides what it has; without BYTES, what it likes
  restart  starts it again on the same data, at the same url; kills it first where it runs
  hold-back  waits until the replica has everything; with --lag nothing more reaches it then
  fail-over  kills it, promotes the replica in its place, at the same url, and starts a new replica
  stop     kills it and removes its data

Without --dir the state is in $(default_state).
Exit status: 0 done; 3 it could not be done, in one sentence; 64 wrong usage.
END
}

default_state() { printf '%s/assay-%s-%s\n' "${TMPDIR:-/tmp}" "$server" "$(id -u)"; }

# --- a process of this machine -----------------------------------------------------------------

# Servers refuse to be root, or should: then it is the account of its package, or nobody.
choose_account() {
  [ "$(id -u)" = 0 ] || {
    account=
    return 0
  }
  id -u "$account" >/dev/null 2>&1 || account=nobody
  group=$(id -gn "$account")
}

# as_server COMMAND...: becomes it. To be used in a subshell.
as_server() {
  [ -n "$account" ] || exec "$@"
  if command -v setpriv >/dev/null; then
    exec setpriv --reuid="$account" --regid="$group" --clear-groups --inh-caps=-all "$@"
  fi
  exec runuser -u "$account" -- "$@"
}

# The same, under its clock if it has one. Only the server's own account can make use of LD_PRELOAD
# here, so it is set behind the change of account.
as_clocked_server() {
  [ ! -f "$state/clock" ] ||
    set -- env LD_PRELOAD="$(cat "$state/clock_library")${LD_PRELOAD:+:$LD_PRELOAD}" ASSAY_CLOCK="$state/clock" "$@"
  as_server "$@"
}

# The server's account must get through the folders that lead to its data. Those of Assay's making
# let it through; nobody else's are touched.
open_the_way() {
  [ -n "$account" ] || return 0
  chgrp "$group" "$state" && chmod g+x "$state"
  for folder in "${state%/*}" "${state%/*/*}"; do
    case ${folder##*/} in assay-* | "$server"-*) [ ! -O "$folder" ] || chmod a+x "$folder" ;; esac
  done
  (as_server test -x "$state/.") ||
    give_up "the account $account, which $title runs under, cannot reach $state; set TMPDIR to a folder that it can"
}

# Every process of the server, also of one whose parent is gone: all live in its data folder, which
# is nobody else's home. A parent's children would not do: Postgres gives each a session of its own.
processes() {
  pattern=$(printf '%s' "$data" | sed 's/[][*?\\]/\\&/g')
  for found in $(find /proc/[0-9]*/cwd -maxdepth 0 -lname "$pattern" 2>/dev/null | cut -d/ -f3); do
    read -r comm 2>/dev/null <"/proc/$found/comm" || continue
    case $comm in "$process"*) printf '%s ' "$found" ;; esac
  done
}

# The first is stopped before any is killed, so that it cannot see its children go.
kill_native() {
  pid=$(cat "$state/pid" 2>/dev/null)
  found=$(processes)
  case " $found" in *" $pid "*) kill -STOP "$pid" 2>/dev/null ;; esac
  tries=0
  while found=$(processes) && [ -n "$found" ]; do
    # shellcheck disable=SC2086  # a list of numbers
    kill -KILL $found 2>/dev/null
    tries=$((tries + 1))
    [ $tries -lt 500 ] || give_up "these processes of $title cannot be killed: $found"
    sleep 0.01
  done
}

# Below the ports that the system hands out for outgoing connections: between a crash and the
# restart nobody is given ours.
choose_port() { port=$((20000 + $(od -An -N2 -tu2 /dev/urandom) % 12000)); }

why_it_ended() {
  grep -E 'FATAL|PANIC|# |rror' "$state/server.log" | tail -n 1 | sed 's/^.*FATAL: *//' | cut -c 1-300
}

# Afterwards the server answers, or has ended, or was too slow. Half a minute for a long recovery.
wait_until_ready() {
  tries=0
  while kill -0 "$pid" 2>/dev/null; do
    ! is_ready || return 0
    tries=$((tries + 1))
    [ $tries -lt 1500 ] || {
      kill_native
      give_up "$title did not answer within half a minute; its log: $state/server.log"
    }
    sleep 0.02
  done
  return 1
}

# --- a clock of its own, for a process of this machine -----------------------------------------

epoch=1893456000 # 2030-01-01T00:00:00Z, as harness/contract/time.h has it

# Each number as eight bytes, the lowest first.
as_bytes() {
  for number in "$@"; do
    for _ in 1 2 3 4 5 6 7 8; do
      printf "\\$(printf %03o $((number & 255)))"
      number=$((number >> 8))
    done
  done
}

# The number in place $1 of the file, counted in eights.
clock_word() { od -An -td8 -j $((8 * $1)) -N 8 "$state/clock" | tr -d ' '; }

# Where the clock stands, in milliseconds.
clock_ms() {
  at=$((2 + 5 * ($(clock_word 1) % 2)))
  echo $(($(clock_word $((at + 1))) * 1000 + $(clock_word $((at + 2))) / 1000000))
}

# First the setting that nobody reads, then, at once, which one holds.
write_clock() {
  next=$(($(clock_word 1) + 1))
  as_bytes 1 $(($1 / 1000)) $(($1 % 1000 * 1000000)) 0 0 |
    dd of="$state/clock" bs=40 iflag=fullblock oflag=seek_bytes seek=$((16 + 40 * (next % 2))) conv=notrunc status=none &&
    as_bytes $next | dd of="$state/clock" bs=8 iflag=fullblock seek=1 conv=notrunc status=none
}

can_be_loaded() {
  [ "$(as_server env LD_PRELOAD="$1" ASSAY_CLOCK="$state/clock" date +%s 2>&1)" = $epoch ]
}

# The library from where it lies, else a copy: it may lie where the server's account cannot read.
make_clock() {
  [ -f "$clock" ] || give_up "there is no library $clock to have a clock by"
  case $clock in /*) ;; *) clock=$PWD/$clock ;; esac
  { printf AssayClk && as_bytes 0 1 $epoch 0 0 0 0 0 0 0 0; } >"$state/clock"
  [ -z "$account" ] || { chgrp "$group" "$state/clock" && chmod 640 "$state/clock"; }
  if ! (can_be_loaded "$clock"); then
    given=$clock clock=$state/libassay_clock.so
    cp "$given" "$clock" && chmod 755 "$clock"
    (can_be_loaded "$clock") || {
      rm -f "$state/clock"
      give_up "the virtual clock cannot be had: $title cannot be started under $given nor under a copy in $state"
    }
  fi
  echo "$clock" >"$state/clock_library"
}

# It was started under the clock; whether it lives by it, only the server can say.
prove_clock() {
  [ -f "$state/clock" ] || return 0
  lives_at=$(server_time)
  [ "$lives_at" = "$(clock_ms)" ] || {
    kill_native
    give_up "$title does not live by the virtual clock: it says ${lives_at:-nothing} where $(clock_ms) was set"
  }
}

move_clock() {
  [ -f "$state/clock" ] || give_up "it has no clock of its own: start it with --clock"
  case ${1:-} in
  '') ;;
  +*)
    ms=$(echo "$1" | awk '/^\+[0-9]+(\.[0-9]+)?$/ { printf "%.0f", $1 * 1000 }')
    [ -n "$ms" ] || wrong_usage "clock takes +SECONDS, not $1"
    write_clock $(($(clock_ms) + ms))
    wake_native
    ;;
  *)
    ms=$(date -u -d "$1" +%s%3N 2>/dev/null) || wrong_usage "$1 is no instant"
    write_clock "$ms"
    wake_native
    ;;
  esac
  ms=$(server_time) && [ -n "$ms" ] || give_up "$title does not answer"
  printf '%s %s.%03dZ\n' "$ms" "$(date -u -d "@$((ms / 1000))" +%Y-%m-%dT%H:%M:%S)" $((ms % 1000))
}

# --- its life ----------------------------------------------------------------------------------

begin_native() {
  (
    cd "$data" || exit 3
    run_native
  ) >>"$state/server.log" 2>&1 &
  pid=$!
  echo "$pid" >"$state/pid"
}

serve_native() {
  listen=127.0.0.1
  choose_account
  find_native || give_up "there is no $title on this machine any more"
  forget_native
  attempts=0
  [ ! -f "$state/port" ] || port=$(cat "$state/port")
  if [ -d "$data" ]; then
    kill_native
    fixed_port=yes
  else
    mkdir "$data"
    open_the_way
    [ -z "$account" ] || chown "$account:$group" "$data"
    [ -z "$clock" ] || make_clock
    make_data || give_up "cannot make the data of $title: $(tail -n 1 "$state/server.log")"
    fixed_port=
    choose_port
  fi
  until
    write_config
    begin_native
    wait_until_ready
  do
    wait "$pid"
    attempts=$((attempts + 1))
    lost_its_port && [ $attempts -lt 20 ] || give_up "$title $version did not start: $(why_it_ended)"
    : >"$state/server.log"
    if [ -n "$fixed_port" ]; then sleep 0.25; else choose_port; fi
  done
  prove_clock
  tell_ready
  wait "$pid"
}

# --- a container -------------------------------------------------------------------------------

has_docker() {
  command -v docker >/dev/null && timeout 5 docker info --format '{{.ServerVersion}}' >/dev/null 2>&1 &&
    timeout 5 docker compose version >/dev/null 2>&1
}

compose() {
  ASSAY_STATE=$state ASSAY_PORT=${port:-0} \
    docker compose --project-name "$(cat "$state/project")" --file "$here/compose.yml" "$@"
}

# This machine since it was started: an engine may serve several.
this_boot() { cat /etc/hostname /proc/sys/kernel/random/boot_id 2>/dev/null | cksum | cut -d' ' -f1; }

# What killed processes of this machine left in the engine. Names: assay-BOOT-OWNER-RANDOM.
remove_leftover_containers() {
  boot=$(this_boot)
  for project in $(docker compose ls --all --quiet --filter "name=assay-$boot-" 2>/dev/null); do
    owner=${project#assay-"$boot"-}
    owner=${owner%-*}
    case $owner in '' | *[!0-9]*) continue ;; esac
    [ -d "/proc/$owner" ] ||
      docker compose --project-name "$project" down --volumes --timeout 0 >/dev/null 2>&1
  done
}

serve_docker() {
  listen=0.0.0.0 # of the container; compose.yml opens it on 127.0.0.1 alone
  data=/data
  remove_leftover_containers
  attempts=0
  if [ -f "$state/project" ]; then
    port=$(cat "$state/port")
    fixed_port=yes
  else
    random=$(od -An -N4 -tx1 /dev/urandom | tr -d ' \n')
    printf 'assay-%s-%s-%s\n' "$(this_boot)" "$(cat "$state/owner")" "$random" >"$state/project"
    fixed_port=
    choose_port
  fi
  # `up` starts a stopped container again, with its data.
  until
    container_port_config
    compose up --detach --no-recreate --wait "$server" >"$state/server.log" 2>&1
  do
    attempts=$((attempts + 1))
    grep -qE 'port is already allocated|address already in use' "$state/server.log" && [ $attempts -lt 20 ] || {
      why=$(tail -n 1 "$state/server.log" | cut -c 1-300)
      compose down --volumes --timeout 0 >/dev/null 2>&1
      give_up "docker compose could not start $title: $why"
    }
    if [ -n "$fixed_port" ]; then
      sleep 0.25
    else
      compose down --volumes --timeout 0 >/dev/null 2>&1 # it was made with that port
      choose_port
    fi
  done
  version=$(compose exec -T "$server" "$program" --version 2>/dev/null | version_from)
  tell_ready
  docker wait "$(compose ps --all --quiet "$server")" >/dev/null
}

# Inside, the server always has its usual port.
container_port_config() {
  outside=$port
  port=$usual_port
  write_config
  port=$outside
}

# --- the verbs ---------------------------------------------------------------------------------

choose_kind() {
  case $kind in
  native) find_native || give_up "$title is not installed here: apt-get install $package" ;;
  docker) has_docker || give_up "no Docker engine with the compose plugin answers here" ;;
  auto)
    if find_native; then kind=native
    elif has_docker; then kind=docker
    else give_up "there is no $title here and no Docker engine answers: apt-get install $package"; fi
    ;;
  *) wrong_usage "--backend takes native, docker or auto, not $kind" ;;
  esac
}

refuse_clock_in_container() {
  [ -z "$clock" ] || [ "$kind" != docker ] ||
    give_up "a virtual clock is for a $title of this machine, not for one in a container"
}

make_state() {
  mkdir -p "$state" 2>/dev/null
  [ -d "$state" ] && [ ! -L "$state" ] && [ -O "$state" ] || give_up "cannot have $state for a state folder"
  [ ! -f "$state/kind" ] || give_up "there is one in $state already; stop it first, or take another --dir"
  refuse_clock_in_container
  check_replica
  choose_kind
  refuse_clock_in_container
  check_replica
  [ -z "$replica" ] || echo "$replica" >"$state/replica_mode"
  if [ -n "$data_folder" ] && [ "$kind" = native ]; then
    data=$(readlink -f -- "$data_folder")/data
    echo "$data" >"$state/data_folder"
  fi
  printf '%s' "$settings" >"$state/settings"
  od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >"$state/password"
  echo "$owner" >"$state/owner"
  echo "$kind" >"$state/kind"
}

tell_ready() {
  echo "$port" >"$state/port"
  echo "$version" >"$state/version"
  show_url "$(cat "$state/password")" >"$state/url.new" && mv "$state/url.new" "$state/url"
  printf 'ready %s %s %s %s\n' "$kind" "$port" "$version" "${lives_at:-}"
}

# In the foreground, for whoever watches over it: says `ready KIND PORT VERSION` when it is, and what
# time it then had if it has a clock of its own; ends when the server does.
serve() {
  [ -f "$state/kind" ] || make_state
  kind=$(cat "$state/kind")
  settings=$(cat "$state/settings")
  "serve_$kind"
}

# In the background, for a person.
begin() {
  : >"$state/serve.out"
  setsid sh "$0" serve --dir "$state" ${clock:+--clock "$clock"} >"$state/serve.out" 2>"$state/serve.err" </dev/null &
  begun=$!
  while [ ! -s "$state/serve.out" ]; do
    kill -0 "$begun" 2>/dev/null || {
      cat "$state/serve.err" >&2
      exit 3
    }
    sleep 0.02
  done
  say "$title $(cat "$state/version") ($kind) on 127.0.0.1:$(cat "$state/port"), its state in $state"
}

start() {
  make_state
  (begin && begin_replica) || {
    stop
    exit 3
  }
}

# Its clients are turned away, and what it has in memory is on its disk when it ends.
shut_down_native() {
  found=$(processes)
  pid=$(cat "$state/pid" 2>/dev/null)
  case " $found" in *" $pid "*) ;; *) give_up "$title does not run" ;; esac
  # shellcheck disable=SC2086  # a list of numbers
  kill -CONT $found 2>/dev/null # whoever stands still hears no signal
  kill "-$farewell" "$pid"
  tries=0
  while [ -n "$(processes)" ]; do
    tries=$((tries + 1))
    [ $tries -lt 1500 ] || give_up "$title was asked to end and did not within half a minute"
    sleep 0.02
  done
}

shut_down_server() { if [ "$kind" = docker ]; then compose stop "$server" >/dev/null 2>&1; else shut_down_native; fi; }

kill_server() { if [ "$kind" = docker ]; then compose kill --signal SIGKILL "$server" >/dev/null 2>&1; else kill_native; fi; }

# All of them, several times over: one that was about to be made is met by the next look.
pause_server() {
  if [ "$kind" = docker ]; then compose pause "$server" >/dev/null 2>&1; return; fi
  found=
  for _ in 1 2 3; do
    found=$(processes)
    # shellcheck disable=SC2086  # a list of numbers
    [ -z "$found" ] || kill -STOP $found 2>/dev/null
  done
  [ -n "$found" ] || give_up "$title does not run"
  for process_id in $found; do
    tries=0
    while grep -q '^State:[[:space:]]*[^T[:space:]]' "/proc/$process_id/status" 2>/dev/null; do
      tries=$((tries + 1))
      [ $tries -lt 100 ] || give_up "a process of $title was stopped and goes on"
      sleep 0.02
    done
  done
}

go_on_server() {
  if [ "$kind" = docker ]; then compose unpause "$server" >/dev/null 2>&1; return; fi
  found=$(processes)
  # shellcheck disable=SC2086
  [ -z "$found" ] || kill -CONT $found 2>/dev/null
  return 0
}

# Each process can have so many bytes more than it has now, and those that it makes as many as it;
# or, without a number, what it likes. By the server's own account: root need not be allowed to.
limit_memory() {
  [ "$kind" = native ] || give_up "the processes of a container are not ours to touch"
  command -v prlimit >/dev/null || give_up "there is no prlimit here: apt-get install util-linux"
  choose_account
  for process_id in $(processes); do
    limit=unlimited
    if [ -n "${1:-}" ]; then
      has=$(sed -n 's/^VmSize:[[:space:]]*\([0-9]*\) kB$/\1/p' "/proc/$process_id/status" 2>/dev/null)
      limit=$((${has:-0} * 1024 + $1))
    fi
    (as_server prlimit --pid "$process_id" "--as=$limit:") || [ ! -d "/proc/$process_id" ] ||
      give_up "the memory of a process of $title cannot be limited"
  done
}

need_state() {
  [ -f "$state/kind" ] && [ -O "$state" ] || give_up "there is none in $state; start one first"
  kind=$(cat "$state/kind")
  port=$(cat "$state/port" 2>/dev/null)
}

stop() {
  [ -d "$state" ] || return 0
  [ -O "$state" ] && [ ! -L "$state" ] || give_up "$state is not ours"
  if [ -f "$state/kind" ]; then
    need_state
    if [ "$kind" = docker ]; then
      [ ! -f "$state/project" ] || compose down --volumes --timeout 0 >/dev/null 2>&1 ||
        give_up "docker compose could not remove the containers of $(cat "$state/project")"
    else
      choose_account
      kill_native
      end_sentinels
      [ ! -d "$state/replica" ] || as_replica kill_native
      forget_native
      [ ! -f "$state/data_folder" ] || rm -rf "$data"
    fi
  fi
  rm -rf "$state"
}

. "${library%/*}/replica.sh"

main() {
  here=$(readlink -f -- "$0") && here=${here%/*}
  verb=${1:-}
  [ $# -eq 0 ] || shift
  state=$(default_state) kind=auto settings='' owner=person clock='' replica='' lag='' data_folder=''
  while [ $# -gt 0 ]; do
    case $1 in
    --dir) [ -n "${2:-}" ] || wrong_usage "--dir needs a folder"; state=$2; shift 2 ;;
    --backend) [ -n "${2:-}" ] || wrong_usage "--backend needs a word"; kind=$2; shift 2 ;;
    --clock) [ -n "${2:-}" ] || wrong_usage "--clock needs a library"; clock=$2; shift 2 ;;
    --replica) [ -n "${2:-}" ] || wrong_usage "--replica needs a word"; replica=$2; shift 2 ;;
    --lag) lag=1; shift ;;
    --data) [ -d "${2:-}" ] || wrong_usage "--data needs a folder that exists"; data_folder=$2; shift 2 ;;
    --owner) owner=${2:-}; shift 2 ;;
    --set)
      case ${2:-} in [a-z]*=*) ;; *) wrong_usage "--set takes NAME=VALUE" ;; esac
      settings="$settings$2
"
      shift 2
      ;;
    -h | --help) verb=--help; shift ;;
    *) break ;;
    esac
  done
  case $state in /*) ;; *) state=$PWD/$state ;; esac
  [ ! -d "$state" ] || state=$(readlink -f -- "$state")
  data=$state/data
  [ ! -f "$state/data_folder" ] || data=$(cat "$state/data_folder")
  case $verb:$# in "$client":* | clock:1 | limit-memory:1) ;; *) [ $# -eq 0 ] || wrong_usage "$1 is one word too many" ;; esac
  case $verb in
  start) start ;;
  serve) serve ;;
  serve-replica) serve_replica ;;
  serve-sentinels) serve_sentinels ;;
  hold-back) hold_back ;;
  promote) promote ;;
  fail-over) fail_over ;;
  url) need_state && cat "$state/url" ;;
  "$client") need_state && run_client "$@" ;;
  clock) need_state && choose_account && find_native && move_clock "$@" ;;
  crash) need_state && kill_server ;;
  pause) need_state && pause_server ;;
  go-on) need_state && go_on_server ;;
  shutdown) need_state && shut_down_server ;;
  processes) need_state && processes ;;
  limit-memory) need_state && limit_memory "$@" ;;
  restart)
    need_state
    kill_server
    (begin)
    ;;
  stop) stop ;;
  -h | --help) help ;;
  '') help >&2; exit 64 ;;
  *) wrong_usage "there is no $verb" ;;
  esac
}
