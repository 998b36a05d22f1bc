#include "harness/cli/queue/handlers.h"

#include <fmt/format.h>

#include "engine/handlers/echo.h"
#include "engine/handlers/exec.h"
#include "engine/handlers/fail.h"
#include "engine/handlers/flaky.h"
#include "engine/handlers/sleeper.h"
#include "harness/cli/usage.h"
#include "harness/remote/connectable.h"

namespace assay::cli::queue {
namespace {

constexpr int flaky_percent = 50;

Result<engine::Handler> exec_handler(const std::string& command, const HandlersWanted& wanted) {
  auto words = split_words(command);
  if (!words) return words.error();
  if (words->empty())
    return invalid("exec: needs a program, and its arguments: resize=exec:'convert - out.png'");
  engine::handlers::ExecOptions options;
  options.words = std::move(*words);
  if (wanted.said)
    options.listener = [said = wanted.said](const Job& job,
                                            const engine::handlers::Execution& execution) {
      said(job, execution.output);
    };
  return engine::handlers::exec(std::move(options));
}

Result<engine::Handler> handler_for(const std::string& text, const HandlersWanted& wanted) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const std::string rest = colon == text.npos ? "" : text.substr(colon + 1);
  if (name == "exec") return exec_handler(rest, wanted);
  if (name == "flaky") {
    const auto percent =
        number_from(colon == text.npos ? std::to_string(flaky_percent) : rest, "flaky:", {0, 100});
    if (!percent) return percent.error();
    return engine::handlers::flaky(wanted.seed, static_cast<int>(*percent));
  }
  if (colon != text.npos && name != "fail")
    return unknown("handler", text, {"echo", "sleep", "fail", "flaky", "exec"},
                   "of a built-in one the name is enough; programs are exec:'COMMAND'");
  if (name == "echo")
    return engine::handlers::echo([said = wanted.said](const Job& job) {
      if (said) said(job, job.payload);
    });
  if (name == "sleep") return engine::handlers::sleeper();
  if (text == "fail" || text == "fail:for-good") return engine::handlers::fail(text != "fail");
  return unknown("handler", text,
                 {"echo", "sleep", "fail", "fail:for-good", "flaky", "flaky:30", "exec:COMMAND"},
                 "see `assay queue work --help`");
}

}  // namespace

Result<std::map<std::string, engine::HandlerSpec>> handlers_for(const HandlersWanted& wanted) {
  std::map<std::string, engine::HandlerSpec> all;
  const auto add = [&](const std::string& type, const std::string& text) -> Status {
    auto handler = handler_for(text, wanted);
    if (!handler) return handler.error();
    all[type].run = std::move(*handler);
    all[type].timeout = wanted.timeout;
    return Done{};
  };
  for (const char* name : {"echo", "sleep", "fail", "flaky"})
    if (Status added = add(name, name); !added) return added.error();
  for (const std::string& text : wanted.registered) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos || equals == 0)
      return invalid(fmt::format(
          "--handler takes TYPE=HANDLER, like resize=exec:'convert - out.png', not `{}`", text));
    if (Status added = add(text.substr(0, equals), text.substr(equals + 1)); !added)
      return invalid("--handler " + text.substr(0, equals) + ": " + added.error().message);
  }
  return all;
}

}  // namespace assay::cli::queue
