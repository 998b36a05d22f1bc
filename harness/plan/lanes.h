// Lanes: what happened, as a picture: a lane a client, time downwards, a bar for as long as a
// client holds a job.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/history/history.h"

namespace assay {

// As data, for whoever draws it: everything stands in a row, counted from 0.
struct Lanes {
  struct Call {
    OpId op = 0;
    int lane = 0;
    std::size_t begins = 0;
    std::optional<std::size_t> ends;  // the same row: nothing came in between; absent: never
    std::string what;                 // "reserve", "ack A T1"
    std::string answer;               // "A T1", "refused: lease_lost", "?"
    bool is_witness = false;          // one of those that cannot be
  };
  struct Lease {
    int lane = 0;
    std::string job, token;  // "A", "T1"
    std::size_t from = 0;
    std::size_t until = 0;  // the last row in which it is held
  };
  struct Tick {
    std::size_t row = 0;
    std::string now;  // "+30.000 s"
  };

  // A fault, where it begins or ends.
  struct Mark {
    std::size_t row = 0;
    std::optional<int> lane;  // whom it befalls; absent: everybody
    std::string what;         // "kill_worker", "pause_worker ends"
  };

  std::vector<std::string> clients;  // by lane
  std::size_t rows = 0;
  std::vector<Call> calls;
  std::vector<Lease> leases;
  std::vector<Tick> ticks;
  std::vector<Mark> faults;
  std::size_t left_out = 0;  // calls that are not shown, since they have nothing to do with it
};

// Of a short history all of it, of a long one what concerns the jobs of the witness. Names are
// those that tell() gives; `start`: when the history began.
Lanes lanes_of(const History& history, std::span<const OpId> witness, Instant start);
Lanes lanes_of(const History& history, std::span<const OpId> witness);

// Lines of at most that many columns. Empty where not even two clients fit beside each other.
std::vector<std::string> draw(const Lanes& lanes, std::size_t width);

}  // namespace assay
