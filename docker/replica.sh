# replica.sh: a second server that follows the first, and can be put in its place.
#
# Sourced by backend.sh. Before that the caller defines, besides what is said there:
#   takes_replica MODE     there is such a way to replicate
#   copy_primary           fills the empty folder $data with what the server on $primary_port has
#   is_following           the replica with $port follows the server on $primary_port
#   position               how far the server on $port is: what it has written, or what it was told
#   has_reached POSITION   the replica is there
#   cut_off                nothing more reaches the replica, and nothing is under way
#   remember_primary       keeps who the first server is, for told_promotion, where it answers
#   promote_replica        the replica is a primary then
#   told_promotion         two lines: what shows it, the same each time; and what was measured
#   end_in_order PID       has the server end by itself
#
# The replica's folder, $state/replica, looks like the state folder of a server; besides,
# primary_port, and `held`: how it is held back. Whatever is done in `as_replica` is done to it.

as_replica() {
  (
    primary_port=$port
    state=$state/replica
    data=$state/data
    port=$(cat "$state/port" 2>/dev/null)
    pid=$(cat "$state/pid" 2>/dev/null)
    "$@"
  )
}

replica_mode() { cat "$state/replica_mode" 2>/dev/null; }

need_replica() {
  need_state && choose_account && find_native || exit 3
  [ -n "$(replica_mode)" ] || give_up "it has no replica: start it with --replica"
}

# To be refused before anything is started.
check_replica() {
  [ -n "$replica" ] || return 0
  takes_replica "$replica" || wrong_usage "--replica takes $replica_modes for $title, not $replica"
  [ "$kind" != docker ] || give_up "a replica is for a $title of this machine, not for one in a container"
}

# wait_for WHAT COMMAND...: until it succeeds, half a minute at most.
wait_for() {
  awaited=$1
  shift
  tries=0
  until "$@"; do
    tries=$((tries + 1))
    [ $tries -lt 600 ] || give_up "$awaited within half a minute"
    sleep 0.03
  done
}

# --- its life ----------------------------------------------------------------------------------

# In the foreground, beside `serve`, and on a leash of its own: it outlives the primary. Says
# `ready` when it follows; ends when the replica does.
serve_replica() {
  need_replica
  as_replica kill_native
  rm -rf "$state/replica"
  mkdir "$state/replica"
  cp "$state/password" "$state/replica/password"
  echo native >"$state/replica/kind"
  echo "$port" >"$state/replica/primary_port"
  [ ! -f "$state/clock" ] || { ln -s ../clock ../clock_library "$state/replica"; }
  settings=$(cat "$state/settings")
  as_replica become_replica
}

become_replica() {
  listen=127.0.0.1
  mkdir "$data"
  open_the_way
  [ -z "$account" ] || chown "$account:$group" "$data"
  copy_primary || give_up "cannot copy the data of $title: $(tail -n 1 "$state/server.log")"
  attempts=0
  until
    choose_port
    write_config
    begin_native
    wait_until_ready
  do
    wait "$pid"
    attempts=$((attempts + 1))
    lost_its_port && [ $attempts -lt 20 ] || give_up "the replica did not start: $(why_it_ended)"
    : >"$state/server.log"
  done
  echo "$port" >"$state/port"
  prove_clock
  wait_for "the replica did not follow its primary" is_following
  printf 'ready\n'
  wait "$pid"
}

# --- what is done to it ------------------------------------------------------------------------

stands_still() { grep -q '^State:[[:space:]]*T' "/proc/$(cat "$state/pid")/status" 2>/dev/null; }

# A primary that is away, or stands still, says nothing, and there is nothing to wait for.
is_caught_up() {
  ! stands_still || return 0
  at=$(position)
  [ -z "$at" ] || as_replica has_reached "$at"
}
catch_up() { wait_for "the replica did not catch up" is_caught_up; }

# The replica has everything. With --lag what is acknowledged from now on is not there. One that
# lags already goes on to.
hold_back() {
  need_replica
  begin_sentinels
  [ "$(cat "$state/replica/held" 2>/dev/null)" != 1 ] || return 0
  catch_up
  echo 0 >"$state/replica/held"
  [ -z "$lag" ] || {
    mode=$(replica_mode) as_replica cut_off
    echo 1 >"$state/replica/held"
  }
}

# They live in a folder of their own.
sentinels() { (data=$state/replica/sentinels && "$@"); }
end_sentinels() { [ ! -d "$state/replica/sentinels" ] || sentinels kill_native; }

end_promoted() {
  end_in_order "$pid"
  tries=0
  while [ -n "$(processes)" ] && [ $tries -lt 500 ]; do
    tries=$((tries + 1))
    sleep 0.02
  done
  kill_native
}

# The primary is killed, the replica promoted where it is. Then its data are moved to the place of
# the primary's, so that the next `serve` starts it there: at the same url, which is a port, and a
# running server keeps the port that it has. A relay in between would do without the restart; but
# it would answer in place of a server that is away, and be in the way of every run without one.
# Nothing is served between the two, and what was promoted is on its disk.
promote() {
  need_replica
  [ "$(cat "$state/replica/held" 2>/dev/null)" = 1 ] || catch_up
  mode=$(replica_mode)
  : >"$state/replica/written"
  stands_still || remember_primary
  kill_native
  as_replica promote_replica || exit 3
  as_replica told_promotion || exit 3
  end_sentinels
  as_replica end_promoted
  rm -rf "$data"
  mv "$state/replica/data" "$data"
  rm -rf "$state/replica"
}

# --- for a person ------------------------------------------------------------------------------

# begin_beside VERB: in the background, until it says that it is ready.
begin_beside() {
  : >"$state/$1.out"
  setsid sh "$0" "$1" --dir "$state" >"$state/$1.out" 2>"$state/$1.err" </dev/null &
  begun=$!
  while [ ! -s "$state/$1.out" ]; do
    kill -0 "$begun" 2>/dev/null || {
      cat "$state/$1.err" >&2
      exit 3
    }
    sleep 0.02
  done
}

begin_replica() {
  [ -z "$(replica_mode)" ] || {
    begin_beside serve-replica
    say "it has a replica, $(replica_mode), on 127.0.0.1:$(cat "$state/replica/port")"
  }
}

# Whoever watches over it has started them before.
begin_sentinels() {
  [ "$(replica_mode)" != sentinel ] || [ -n "$(sentinels processes)" ] || begin_beside serve-sentinels
}

fail_over() {
  need_replica
  begin_sentinels
  (promote) >"$state/promoted" || exit 3
  say "$(paste -sd: "$state/promoted" | sed 's/:/; /')"
  (begin) && (begin_replica)
}
