#include "drivers/memory/paging.h"

#include <charconv>

#include "harness/contract/random.h"

namespace assay::memory_queue {

static constexpr std::string_view version = "v1:";

static std::string seal(std::string_view listing, std::string_view queue, std::string_view body) {
  const std::uint64_t hash = stable_hash(body, stable_hash(queue, stable_hash(listing)));
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[(hash >> shift) & 15];
  return text;
}

std::string cursor_after(std::string_view listing, std::string_view queue, const Position& last) {
  const std::string body = std::to_string(to_ms(last.at)) + ":" + last.id;
  return std::string(version) + seal(listing, queue, body) + ":" + body;
}

std::optional<Position> position_of(std::string_view listing, std::string_view queue,
                                    std::string_view cursor) {
  if (!cursor.starts_with(version)) return std::nullopt;
  cursor.remove_prefix(version.size());
  const auto colon = cursor.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view body = cursor.substr(colon + 1);
  if (cursor.substr(0, colon) != seal(listing, queue, body)) return std::nullopt;
  std::int64_t ms = 0;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), ms);
  if (error != std::errc{} || end == body.data() + body.size() || *end != ':') return std::nullopt;
  const auto id_begins = static_cast<std::size_t>(end - body.data()) + 1;
  return Position{instant_from_ms(ms), JobId(body.substr(id_begins))};
}

}  // namespace assay::memory_queue
