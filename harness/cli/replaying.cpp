#include "harness/cli/replaying.h"

#include <fmt/format.h>

#include <iostream>
#include <sstream>

#include "harness/cli/interrupts.h"
#include "harness/cli/scratch.h"
#include "harness/cli/store.h"
#include "harness/cli/usage.h"
#include "harness/history/jsonl.h"
#include "harness/plan/story.h"
#include "harness/run/parts.h"
#include "reports/file.h"
#include "reports/text.h"

namespace assay::cli {

static Status write_history(const std::string& path, const History& history) {
  std::ostringstream text;
  write_jsonl(history, text);
  return files::write_whole(path, text.str());
}

static void tell_story(const ReplayToken& token, const ReplayResult& result) {
  for (const std::string& line : tell(result.history))
    std::cout << text::wrapped(text::printable(line), 100, 2, 3);
  std::cout << "\n";
  for (const Finding& finding : result.judgement.findings) {
    if (!token.rule.empty() && finding.rule != token.rule) continue;
    const Rule* known = find_rule(finding.rule);
    std::cout << fmt::format("FAIL {}: {}\n", finding.rule, known ? known->promise : "");
    std::cout << text::wrapped(text::printable(tell(result.history, finding)), 100, 2, 2) << "\n";
    if (!token.rule.empty()) return;
  }
}

static int tell_end(const ReplayToken& token, const ReplayResult& result) {
  const bool convicted = token.rule.empty() ? !result.judgement.findings.empty() : result.convicted;
  tell_story(token, result);
  if (!convicted)
    std::cout << (token.rule.empty() ? "nothing is convicted\n"
                                     : fmt::format("{} is not convicted any more\n", token.rule));
  if (token.history_hash == 0)
    std::cout << fmt::format("history {:016x} (there is none to compare it with)\n", result.hash);
  else if (result.match)
    std::cout << fmt::format("MATCH: history {:016x}\n", result.hash);
  else
    std::cout << fmt::format("DIVERGED: {}\n", text::printable(result.divergence));
  if (convicted) return 1;
  return result.match || token.history_hash == 0 ? 0 : exit_trouble;
}

int replay_and_tell(const ReplayToken& token, const NamedDriver& driver,
                    const std::optional<std::string>& out) {
  block_interrupts();
  Result<std::unique_ptr<Scratch>> scratch = Scratch::make();
  if (!scratch) return trouble(scratch.error().message);
  RunStore store;
  {
    std::stop_source stop;
    const Interrupts interrupts([&] { stop.request_stop(); }, [&] { (*scratch)->remove(); });
    auto found =
        store_for(driver.info, {driver.url, driver.backend}, (*scratch)->path(), stop.get_token());
    if (!found) return trouble(found.error().message);
    store = std::move(*found);
  }
  const Interrupts interrupts({}, [&] {
    store.end();
    (*scratch)->remove();
  });

  std::cout << fmt::format("{} under {}{}\n", text::printable(token.driver),
                           text::printable(title(token.profile)),
                           token.rule.empty() ? "" : ", rule " + token.rule);
  if (!store.described.empty())
    std::cout << fmt::format("backend {}\n", text::printable(store.described));
  const ReplayResult result =
      replay(token, driver.info, built_in_parts(), {store.url, (*scratch)->path()});
  if (result.trouble) return trouble(*result.trouble);
  if (out) {
    if (Status written = write_history(*out, result.history); !written)
      return trouble(written.error().message);
  }
  return tell_end(token, result);
}

}  // namespace assay::cli
