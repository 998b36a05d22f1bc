#include "drivers/redis/detail/reply.h"

#include <hiredis/hiredis.h>

#include <charconv>

namespace assay::rds {

[[noreturn]] static void garbled(const char* wanted) {
  throw Failure{Trouble::garbled, std::string("not ") + wanted};
}

bool Value::is_nil() const { return reply_->type == REDIS_REPLY_NIL; }
bool Value::is_error() const { return reply_->type == REDIS_REPLY_ERROR; }
bool Value::is_list() const { return reply_->type == REDIS_REPLY_ARRAY; }

std::string_view Value::text() const {
  switch (reply_->type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR:
      return {reply_->str, reply_->len};
    default:
      garbled("a text");
  }
}

std::int64_t Value::number() const {
  if (reply_->type == REDIS_REPLY_INTEGER) return reply_->integer;
  const std::string_view digits = text();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) garbled("a number");
  return value;
}

std::optional<std::int64_t> Value::maybe_number() const {
  if (is_nil() || (reply_->type == REDIS_REPLY_STRING && reply_->len == 0)) return std::nullopt;
  return number();
}

std::optional<std::string> Value::maybe_text() const {
  if (is_nil()) return std::nullopt;
  return std::string(text());
}

std::size_t Value::size() const {
  if (reply_->type != REDIS_REPLY_ARRAY) garbled("a list");
  return reply_->elements;
}

Value Value::operator[](std::size_t at) const {
  if (at >= size()) garbled("as long as it should be");
  return Value(reply_->element[at]);
}

void Reply::Free::operator()(redisReply* reply) const { freeReplyObject(reply); }

}  // namespace assay::rds
