// Chain: the toxics of one direction of a connection, one behind the other, and what is under way
// between them.
//
// Not thread-safe. Knows no sockets and no clock.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/proxy/detail/toxic.h"

namespace assay::proxy {

class Chain {
 public:
  // Behind all others.
  void add(std::string name, std::unique_ptr<Toxic> toxic);
  // Null: it has none of that name.
  Toxic* find(std::string_view name);
  // What waited before it goes on. One that breaks the connection makes `out` end.
  void remove(std::string_view name);

  bool empty() const { return stages_.empty(); }

  void take(std::string_view bytes, Moment now);
  void end(End end);
  bool wants_more() const;

  // Moves everything as far as it goes by now; `room` is for how many bytes lie in `out` at most.
  // Returns when to call it again, if nothing happens before.
  std::optional<Moment> work(Moment now, std::size_t room, Effects& effects);

  // What is through.
  Stream out;

 private:
  struct Stage {
    std::string name;
    std::unique_ptr<Toxic> toxic;
    Stream in;
  };

  Stream& behind(std::size_t i) { return i + 1 < stages_.size() ? stages_[i + 1].in : out; }
  Stream& first() { return stages_.empty() ? out : stages_.front().in; }

  std::vector<Stage> stages_;
};

}  // namespace assay::proxy
