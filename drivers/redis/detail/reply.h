// Reply: what a Redis server answered.
//
// An answer that is not of the kind that was asked for is thrown as a garbled Failure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "drivers/redis/detail/failure.h"

struct redisReply;

namespace assay::rds {

// One value of an answer; borrowed from its Reply.
class Value {
 public:
  explicit Value(const redisReply* reply) : reply_(reply) {}

  bool is_nil() const;
  bool is_error() const;
  bool is_list() const;

  std::string_view text() const;                     // also of an error
  std::int64_t number() const;                       // also where it came as text
  std::optional<std::int64_t> maybe_number() const;  // nil or empty: absent
  std::optional<std::string> maybe_text() const;     // nil: absent

  std::size_t size() const;  // of an array
  Value operator[](std::size_t at) const;

 private:
  const redisReply* reply_;
};

class Reply {
 public:
  explicit Reply(redisReply* reply) : reply_(reply) {}  // takes it over

  Value value() const { return Value(reply_.get()); }
  Value operator[](std::size_t at) const { return value()[at]; }

 private:
  struct Free {
    void operator()(redisReply* reply) const;
  };
  std::unique_ptr<redisReply, Free> reply_;
};

}  // namespace assay::rds
