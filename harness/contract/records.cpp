#include "harness/contract/records.h"

#include <set>
#include <string_view>

namespace assay {

using Objection = std::optional<Error>;

static Objection objection_to_name(const std::string& name, const std::string& what) {
  if (name.empty()) return invalid("the " + what + " is empty");
  if (name.size() > most_key_bytes)
    return invalid("the " + what + " has " + std::to_string(name.size()) + " bytes, more than " +
                   std::to_string(most_key_bytes));
  return std::nullopt;
}

static Objection objection_to_version(const std::optional<std::int64_t>& version) {
  if (version.value_or(0) < 0) return invalid("the version asked for is negative");
  return std::nullopt;
}

static Objection objection_to_value(const std::string& value) {
  if (value.size() <= most_value_bytes) return std::nullopt;
  return invalid("the value has " + std::to_string(value.size()) + " bytes, more than " +
                 std::to_string(most_value_bytes));
}

static Objection objection_to(const Count& count) {
  if (count.from < 1 || count.from > most_from)
    return invalid("a countdown begins at 1 to " + std::to_string(most_from) + ", not at " +
                   std::to_string(count.from));
  return objection_to_name(count.once, "countdown's mark");
}

static Objection objection_to_size(const Commit& commit) {
  std::size_t parts =
      commit.puts.size() + commit.drops.size() + commit.counts.size() + commit.enqueues.size();
  for (const Count& count : commit.counts) parts += count.then.size();
  if (parts > most_parts)
    return invalid("the commit has " + std::to_string(parts) + " parts, more than " +
                   std::to_string(most_parts));
  std::size_t bytes = 0;
  for (const Put& put : commit.puts) bytes += put.value.size();
  if (bytes > most_values_bytes)
    return invalid("the values have " + std::to_string(bytes) + " bytes together, more than " +
                   std::to_string(most_values_bytes));
  return std::nullopt;
}

Objection objection_to_key(const std::string& key) {
  return objection_to_name(key, "record's key");
}

Objection objection_to(const Commit& commit) {
  if (Objection objection = objection_to_size(commit)) return objection;
  std::set<std::string_view> keys;
  const auto named = [&](const std::string& key) -> Objection {
    if (Objection objection = objection_to_key(key)) return objection;
    if (!keys.insert(key).second) return invalid("a key is named twice in the commit");
    return std::nullopt;
  };
  for (const Put& put : commit.puts) {
    if (Objection objection = named(put.key)) return objection;
    if (Objection objection = objection_to_value(put.value)) return objection;
    if (Objection objection = objection_to_version(put.if_version)) return objection;
  }
  for (const Drop& drop : commit.drops) {
    if (Objection objection = named(drop.key)) return objection;
    if (Objection objection = objection_to_version(drop.if_version)) return objection;
  }
  for (const Count& count : commit.counts) {
    if (Objection objection = named(count.key)) return objection;
    if (Objection objection = objection_to(count)) return objection;
  }
  return std::nullopt;
}

Objection objection_to(const Scan& scan) {
  if (scan.limit < 1 || scan.limit > most_in_page)
    return invalid("a page holds 1 to " + std::to_string(most_in_page) + " records, not " +
                   std::to_string(scan.limit));
  if (scan.prefix.size() > most_key_bytes) return invalid("no key is as long as the prefix");
  if (scan.after.value_or("").size() > most_key_bytes)
    return invalid("no key is as long as the one to begin behind");
  return std::nullopt;
}

}  // namespace assay
