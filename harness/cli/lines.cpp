#include "harness/cli/lines.h"

#include <fmt/format.h>

#include "faults/toxiproxy/lines.h"
#include "harness/proxy/upstream.h"

namespace assay::cli {

static constexpr const char* embedded = "embedded";

Status check_toxiproxy(const std::optional<std::string>& typed) {
  const auto wanted = toxiproxy::wanted_here(typed, 0);
  const auto& word = wanted.url ? wanted.url : wanted.named_by_environment;
  if (!word || word == embedded) return Done{};
  if (const auto client = toxiproxy::Client::to(*word); client) return Done{};
  return invalid(fmt::format("{} takes a url like http://127.0.0.1:8474, or embedded, not `{}`",
                             wanted.url ? "--toxiproxy" : "ASSAY_TOXIPROXY_URL", *word));
}

static Error unusable(const toxiproxy::InstanceWanted& wanted, const Error& why) {
  return {ErrorCode::unavailable,
          fmt::format("the Toxiproxy for this run cannot be used ({}): {}; `--toxiproxy embedded` "
                      "does without",
                      toxiproxy::expected(wanted), why.message)};
}

Result<RunLines> lines_for(const std::optional<std::string>& store_url,
                           const std::optional<std::string>& typed, const std::string& scratch) {
  if (!store_url || !proxy::upstream_of(*store_url).ok()) return RunLines{};
  const auto wanted = toxiproxy::wanted_here(typed, 0);
  const auto& word = wanted.url ? wanted.url : wanted.named_by_environment;
  if (word == embedded)
    return RunLines{fmt::format("the embedded proxy, as {} says",
                                wanted.url ? "--toxiproxy" : "ASSAY_TOXIPROXY_URL"),
                    {}};
  auto found = toxiproxy::Instance::find_other(wanted);
  if (!found) return unusable(wanted, found.error());
  if (!*found) return RunLines{toxiproxy::expected(wanted), {}};
  RunLines lines{(*found)->description(), {}, std::move(*found)};
  const bool is_ours = lines.instance->kind() == toxiproxy::InstanceKind::started;
  lines.make = [client = lines.instance->client(), folder = is_ours ? "" : scratch,
                wanted](std::uint64_t seed) {
    auto made = toxiproxy::lines_through({client, folder, seed});
    return made ? std::move(made)
                : Result<std::unique_ptr<proxy::Lines>>(unusable(wanted, made.error()));
  };
  // Before anything is tried, that it carries something at all.
  if (const auto tried = lines.make(0); !tried) return tried.error();
  return lines;
}

}  // namespace assay::cli
