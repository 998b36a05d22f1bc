// Scripts: what the driver runs on the server, made for one profile from the files in scripts/.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "drivers/redis/detail/connection.h"
#include "harness/contract/profile.h"

namespace assay::rds {

enum class Op {
  enqueue,
  reserve,
  extend,
  ack,
  retry,
  fail,
  nack,
  cancel,
  pause,
  resume,
  get,
  list,
  requeue,
  advance,
  create,
  drop,
};
inline constexpr std::size_t op_count = static_cast<std::size_t>(Op::drop) + 1;

// The layout of the keys. A namespace of another one is left alone.
inline constexpr std::string_view layout = "3";

// The middle of all ranks is that of priority 0.
std::string rank_of(std::int64_t priority);

// Spoils a script's text, so that a bug can be planted.
using Alter = std::function<void(Op op, std::string& text)>;

class Scripts {
 public:
  explicit Scripts(const Profile& profile, const Alter& alter = {});

  // The rank of priority 0.
  const std::string& middle() const { return middle_; }

  // The server knows them afterwards. Throws.
  void load(Connection& connection);

  // The beginning of a command that runs the script on the key.
  Words begin(Op op, std::string_view key) const;

  // Its answer; loads the script where the server has forgotten it. Throws.
  Reply run(Op op, Connection& connection, const Words& words) const;

  // The same for many that are sent together; what went wrong is an answer.
  std::vector<Answer> run_all(Op op, Connection& connection, std::span<const Words> commands) const;

 private:
  std::string middle_ = rank_of(0);
  std::array<std::string, op_count> texts_;
  std::array<std::string, op_count> digests_;
};

}  // namespace assay::rds
