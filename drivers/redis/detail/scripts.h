// Scripts: what the driver runs on the server, made for one profile from the files in scripts/.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/redis/detail/connection.h"
#include "drivers/redis/redis.h"
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
  commit,
  record,
  scan,
  listen,
  advance,
  create,
  drop,
};
inline constexpr std::size_t op_count = static_cast<std::size_t>(Op::drop) + 1;

// The layout of the keys. A namespace of another one is left alone.
inline constexpr std::string_view layout = "4";

// The middle of all ranks is that of priority 0.
std::string rank_of(std::int64_t priority);

// Of the call that it is for.
std::string_view name_of(Op op);

using Alter = RedisAlter;

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

  bool is_one_round(Op op) const { return rounds_[static_cast<std::size_t>(op)].size() == 1; }

  // The same for many that are sent together; what went wrong is an answer. Requires: each is one
  // round trip.
  std::vector<Answer> run_all(Op op, Connection& connection, std::span<const Words> commands) const;

 private:
  // One round trip of a call.
  struct Round {
    std::string text;
    std::string digest = {};  // empty: the text is a command
  };
  using Rounds = std::vector<Round>;

  static Rounds cut(std::string_view text);
  static Reply run(const Round& round, Connection& connection, const Words& words);
  static Reply run_apart(const Rounds& rounds, Connection& connection, const Words& words);

  std::string middle_ = rank_of(0);
  std::array<Rounds, op_count> rounds_;  // one each in the right driver
};

}  // namespace assay::rds
