#include "harness/cli/replaying.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "harness/cli/commands.h"
#include "harness/cli/interrupts.h"
#include "harness/cli/lines.h"
#include "harness/cli/scratch.h"
#include "harness/cli/store.h"
#include "harness/cli/usage.h"
#include "harness/fault/fault.h"
#include "harness/history/jsonl.h"
#include "harness/plan/story.h"
#include "harness/run/compare.h"
#include "harness/run/parts.h"
#include "reports/file.h"
#include "reports/picture.h"
#include "reports/text.h"

namespace assay::cli {

static Status write_history(const std::string& path, const History& history) {
  std::ostringstream text;
  write_jsonl(history, text);
  return files::write_whole(path, text.str());
}

static void tell_steps(const ReplayResult& result) {
  for (const std::string& line : tell(result.history))
    std::cout << text::wrapped(text::printable(line), 100, 2, 3);
  std::cout << "\n";
}

// As it shows the first finding.
static void show(const ReplayToken& token, const ReplayResult& result) {
  for (const Finding& finding : result.judgement.findings)
    if (token.rule.empty() || finding.rule == token.rule) {
      std::cout << picture_text(lanes_of(result.history, finding.ops), 100) << "\n";
      return;
    }
}

static void tell_story(const ReplayToken& token, const ReplayResult& result) {
  tell_steps(result);
  show(token, result);
  for (const Finding& finding : result.judgement.findings) {
    if (!token.rule.empty() && finding.rule != token.rule) continue;
    const Rule* known = find_rule(finding.rule);
    std::cout << fmt::format("FAIL {}: {}\n", finding.rule, known ? known->promise : "");
    std::cout << text::wrapped(text::printable(tell(result.history, finding)), 100, 2, 2) << "\n";
    if (!token.rule.empty()) return;
  }
}

// How often, where who is faster decides.
static std::string rate(const ReplayToken& token, const ReplayResult& result) {
  std::string text;
  if (result.convictions > 0)
    text = fmt::format("{}convicted in {} of {} runs (statistical: who is faster decides)",
                       token.history_hash == 0 ? "" : "MATCH: ", result.convictions, result.runs);
  else if (token.rule.empty())
    text = fmt::format("nothing is convicted in {} runs (who is faster decides)", result.runs);
  else
    text = "DIVERGED: " + text::printable(result.divergence);
  if (result.undecided > 0)
    text += fmt::format("; in {} of them a job's calls had too many orders to be searched",
                        result.undecided);
  return text + "\n";
}

static int tell_end(const ReplayToken& token, const ReplayResult& result) {
  const bool convicted = token.rule.empty() ? !result.judgement.findings.empty() : result.convicted;
  const bool undecided = !convicted && result.undecided > 0;
  if (undecided && !result.free)
    std::cout << "INCONCLUSIVE: the calls of a job have too many possible orders to be searched\n";
  else if (!convicted && !result.free)
    std::cout << (token.rule.empty() ? "nothing is convicted\n"
                                     : fmt::format("{} is not convicted any more\n", token.rule));
  if (result.free)
    std::cout << (undecided ? "INCONCLUSIVE: " : "") << rate(token, result);
  else if (token.history_hash == 0)
    std::cout << fmt::format("history {:016x} (there is none to compare it with)\n", result.hash);
  else if (result.match && result.by_trips)
    std::cout << fmt::format(
        "MATCH: the same {} moves, {} to the store among them (round-trip exact){}\n",
        result.moves.size(), text::plural(result.trips.size(), "round trip"),
        result.hash == token.history_hash ? "" : "; what was answered differs in its names");
  else if (result.match)
    std::cout << fmt::format("MATCH: history {:016x}\n", result.hash);
  else
    std::cout << fmt::format("DIVERGED: {}\n", text::printable(result.divergence));
  if (convicted) return 1;
  if (undecided) return 2;
  return result.match || token.history_hash == 0 ? 0 : exit_trouble;
}

// Before the step that was asked for, or that convicts: for somebody who wants to look.
static std::function<void(OpId, std::optional<OpId>)> stop_before(const ReplayWishes& wishes,
                                                                  const RunStore& store) {
  if (!wishes.hold && !wishes.stop_for_debugger) return {};
  return [&](OpId op, std::optional<OpId> convicted) {
    if (wishes.stop_for_debugger && op == convicted) raise(SIGTRAP);
    const bool here = wishes.until ? op + 1 == *wishes.until : op == convicted;
    if (!wishes.hold || !here) return;
    std::cout << fmt::format("held before step {}; {}; Enter goes on\n", op + 1,
                             store.url ? "the store is at " + *store.url
                                       : std::string("the store is in this process"))
              << std::flush;
    std::string line;
    std::getline(std::cin, line);
  };
}

static bool has_fault(const ReplayToken& token, bool (*is)(const FaultInfo&)) {
  return token.plan && std::ranges::any_of(token.plan->steps, [&](const Step& step) {
           if (!step.fault) return false;
           const auto info = find_fault(built_in_parts().faults, *step.fault);
           return info.ok() && is(**info);
         });
}

static bool needs_disk(const ReplayToken& token) {
  return has_fault(token, [](const FaultInfo& info) { return info.needs_disk; });
}

static bool needs_lines(const ReplayToken& token) {
  return has_fault(token, [](const FaultInfo& info) { return info.family == "network"; });
}

int replay_and_tell(const ReplayToken& token, const NamedDriver& driver,
                    const ReplayWishes& wishes) {
  StoreWanted wanted = wanted_by(driver);
  wanted.disk = needs_disk(token);
  // Before the first thread.
  if (wanted.disk) static_cast<void>(Disk::keep_mounts_apart());
  block_interrupts();
  Result<std::unique_ptr<Scratch>> scratch = Scratch::make();
  if (!scratch) return trouble(scratch.error().message);
  RunStore store;
  {
    std::stop_source stop;
    const Interrupts interrupts([&] { stop.request_stop(); }, [&] { (*scratch)->remove(); });
    auto found = store_for(driver.info, wanted, (*scratch)->path(), stop.get_token());
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
  RunLines lines;
  if (needs_lines(token)) {
    auto found = lines_for(store.url, driver.toxiproxy, (*scratch)->path());
    if (!found) return trouble(found.error().message);
    lines = std::move(*found);
  }
  if (!lines.described.empty())
    std::cout << fmt::format("network {}\n", text::printable(lines.described));
  if (wishes.hold && !store.url && driver.info.private_store) {
    auto url = driver.info.private_store((*scratch)->path());
    if (!url) return trouble(url.error().message);
    store.url = std::move(*url);
  }
  const ReplayResult result = replay(token, driver.info, built_in_parts(),
                                     {store.url,
                                      (*scratch)->path(),
                                      store.backend.get(),
                                      store.disk.get(),
                                      store.why_no_disk,
                                      lines.make,
                                      wishes.twice,
                                      stop_before(wishes, store),
                                      {"/proc/self/exe", std::string(engine_worker_word)}});
  // Of a run that broke, too: what happened until then is what people look for.
  if (wishes.out && !(result.trouble && result.history.events.empty())) {
    if (Status written = write_history(*wishes.out, result.history); !written)
      return trouble(written.error().message);
  }
  if (result.trouble) return trouble(*result.trouble);
  tell_story(token, result);
  const int status = tell_end(token, result);
  if (!wishes.twice || result.free) return status;
  if (result.unsteady.empty()) {
    std::cout << (result.by_trips ? "DETERMINISTIC: a second run made the same moves\n"
                                  : "DETERMINISTIC: a second run gave the same history\n");
    return status;
  }
  std::cout << "NOT DETERMINISTIC: " << text::printable(result.unsteady) << "\n";
  return status == exit_failed ? status : exit_trouble;
}

int replay_pair_and_tell(const ReplayToken& token, const NamedDriver& first,
                         const NamedDriver& second, const std::optional<std::string>& out) {
  block_interrupts();
  Result<std::unique_ptr<Scratch>> scratch = Scratch::make();
  if (!scratch) return trouble(scratch.error().message);
  const NamedDriver* drivers[] = {&first, &second};
  RunStore stores[2];
  for (int i = 0; i < 2; ++i) {
    std::stop_source stop;
    const Interrupts interrupts([&] { stop.request_stop(); }, [&] { (*scratch)->remove(); });
    auto found = store_for(drivers[i]->info, {{}, drivers[i]->backend}, (*scratch)->path(),
                           stop.get_token());
    if (!found) return trouble(found.error().message);
    stores[i] = std::move(*found);
  }
  const Interrupts interrupts({}, [&] {
    for (RunStore& store : stores) store.end();
    (*scratch)->remove();
  });
  std::cout << fmt::format("{} and {} under {}, rule {}\n", text::printable(first.name),
                           text::printable(second.name), text::printable(title(token.profile)),
                           token.rule);
  const PairReplay replayed =
      replay_pair(token, {&first.info, first.name, stores[0].url, {}},
                  {&second.info, second.name, stores[1].url, {}}, (*scratch)->path());
  if (replayed.result.trouble) return trouble(*replayed.result.trouble);
  if (out) {
    if (Status written = write_history(*out, replayed.result.history); !written)
      return trouble(written.error().message);
  }
  tell_steps(replayed.result);
  if (replayed.result.convicted)
    std::cout << fmt::format("FAIL {}: {}\n", token.rule, find_rule(token.rule)->promise);
  std::cout << text::wrapped(text::printable(replayed.story), 100, 2, 2) << "\n";
  return tell_end(token, replayed.result);
}

}  // namespace assay::cli
