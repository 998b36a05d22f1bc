// Limits: how many jobs of a type run at once in this worker, and how often one begins.
//
// Guarded by the floor's monitor.
#pragma once

#include <map>
#include <string>

#include "engine/events.h"

namespace assay::engine::detail {

class Limits {
 public:
  Limits(const std::map<std::string, HandlerSpec>& handlers, Instant now);

  // Whether a job of the type may begin, and if not, why, and when it may be tried again; no
  // instant: when another one has ended.
  struct Answer {
    std::optional<Hindrance> hindrance = {};
    std::optional<Instant> again_at = {};
  };
  Answer ask(const std::string& type, Instant now);

  // When a job that its rate keeps from beginning now may come back: another one each time, so that
  // many that wait do not all come back for the same token. Requires: ask just now said so.
  Instant promise(const std::string& type);

  // Requires: ask just now had no objection.
  void begins(const std::string& type);
  void ends(const std::string& type);

  // Whether a job of any type could begin. Nothing need be claimed while none could.
  Answer ask_for_any(Instant now);

 private:
  // Time is counted in whole tokens: `full_at` is when the bucket is full again.
  struct Type {
    std::optional<int> concurrency;
    std::optional<Rate> rate;
    int running = 0;
    Instant full_at = {};
    Instant promised = {};  // the last that somebody was told to come back at
  };
  static Answer ask(const Type& type, Instant now);

  std::map<std::string, Type> types_;
  Instant now_ = {};
};

}  // namespace assay::engine::detail
