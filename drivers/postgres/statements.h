// PostgresStatements: what the postgres driver has the server do, by name: the tables and functions
// that a namespace's schema consists of, and the few plain statements beside them.
//
// Each call of a session is one of these, so one round trip and one transaction; where a quick one
// finds nothing to do, the function of its name follows, which looks closer. What a call may do is
// decided in here: a driver with one of them altered is a driver with one bug.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace assay {

struct PostgresStatements {
  std::string tables;  // and indices

  // Functions of the schema. Each answers rows (verdict, now_ms, j): what became of the call, the
  // instant that it was judged by, and the job that it concerns.
  std::string enqueue;
  std::string enqueue_all;
  std::string reserve;
  std::string extend;
  std::string ack;
  std::string ack_all;
  std::string settle;  // retry and fail
  std::string nack;
  std::string cancel;
  std::string requeue;
  std::string replay;  // requeue as a fresh job
  std::string commit;

  // Plain statements.
  std::string quick_enqueue;
  std::string quick_enqueue_by_caller;  // who brings the clock
  std::string quick_enqueue_all;
  std::string quick_enqueue_alike_by_caller;
  std::string quick_reserve;
  std::string quick_reserve_by_caller;
  std::string quick_reserve_many_by_caller;
  std::string quick_ack;
  std::string quick_ack_by_caller;
  std::string quick_ack_all;
  std::string pause;
  std::string resume;
  std::string get;
  std::string list;
  std::string dead;
  std::string record;
  std::string scan;

  // For variants whose calls take several round trips. By the name of a call's function: what is
  // sent, one after the other. Names are those of functions, which get what the call's own gets,
  // and the answer is that function's; what has capitals is a statement. Nothing is tried quickly
  // then.
  std::map<std::string, std::vector<std::string>> rounds;
  std::string more;  // functions for that
};

// The right ones.
PostgresStatements postgres_statements();

}  // namespace assay
