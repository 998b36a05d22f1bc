// SqliteStatements: every statement that the sqlite driver runs for a call, by name.
//
// What a call may do is decided in here as far as it can be: a settle is one guarded UPDATE that
// changes nothing where the lease is not held. So a driver with one statement altered is a driver
// with one bug.
#pragma once

#include <string>

namespace assay {

struct SqliteStatements {
  std::string find_namespace;
  std::string make_namespace;
  std::string drop_namespace;
  std::string drop_jobs;
  std::string drop_paused;

  std::string offset;         // of the namespace's clock
  std::string advance;        // moves that clock
  std::string next_sequence;  // of the namespace: for ids, tokens and the order of enqueues

  std::string insert;
  std::string find;  // one job, all of it
  std::string key_in_queue;
  std::string key_in_type;
  std::string key_anywhere;

  std::string is_paused;
  std::string pause;
  std::string resume;

  std::string next_rank;  // the highest among the waiting, up to a given one
  std::string due;        // waiting, of one rank
  std::string backdated;  // due although enqueued by a clock that is ahead of the caller's
  std::string expired;    // leased, and the lease is dead
  std::string by_id;      // one job, if it may be claimed
  std::string claim;
  std::string lapsed;       // what a sweep has to handle
  std::string expire_wait;  // a lapsed job waits again
  std::string expire_bury;  // a lapsed job has used its budget

  std::string extend;
  std::string ack;
  std::string retry;
  std::string fail;

  std::string cancel;
  std::string requeue;
  std::string drop_record;  // a dead job's entry, once its replay is enqueued
  std::string list;
  std::string dead;

  std::string put;          // whatever there is
  std::string put_new;      // where there is none
  std::string put_version;  // where it is at a version
  std::string drop;
  std::string drop_marks;
  std::string begin_countdown;  // where there is none
  std::string mark;
  std::string count;
  std::string has_waiting;  // whether the queue has a waiting job
  std::string record;       // one of them
  std::string scan;
  std::string drop_records;  // all of the namespace
  std::string drop_all_marks;
};

// The right ones.
SqliteStatements sqlite_statements();

}  // namespace assay
