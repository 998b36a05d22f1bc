#include <fmt/format.h>

#include <iostream>

#include "harness/cli/commands.h"
#include "harness/cli/named_driver.h"
#include "harness/cli/table.h"
#include "harness/cli/usage.h"
#include "harness/remote/check.h"
#include "reports/terminal.h"
#include "reports/text.h"

namespace assay::cli {

namespace {

constexpr std::size_t longest_traced = 2000;

// The conversation on stderr, line by line. What comes from the driver's stderr comes in pieces.
class Trace {
 public:
  void operator()(char side, std::string_view text) {
    if (side != '!') return write(side, text);
    log_ += text;
    for (std::size_t end; (end = log_.find('\n')) != std::string::npos; log_.erase(0, end + 1))
      write(side, std::string_view(log_).substr(0, end));
  }
  void finish() {
    if (!log_.empty()) write('!', log_);
  }

 private:
  static void write(char side, std::string_view line) {
    std::cerr << side << ' ' << protocol::excerpt(line, longest_traced) << '\n';
  }

  std::string log_;
};

std::string numbers_of(const Trial& trial) {
  std::vector<std::string> numbers;
  for (const std::size_t index : trial.problems) numbers.push_back(std::to_string(index + 1));
  return (numbers.size() == 1 ? "PROBLEM " : "PROBLEMS ") + text::joined(numbers, ", ");
}

std::string trials_table(const CheckReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const Trial& trial : report.trials)
    rows.push_back({trial.what, trial.problems.empty() ? trial.answer : numbers_of(trial)});
  return aligned({"tried", "answer"}, rows);
}

std::string problem_text(std::size_t number, const CheckProblem& problem) {
  const auto& [path, expected, found] = problem.problem;
  std::string out = fmt::format("\n{}. {}{}\n", number, problem.what,
                                path.empty() ? "" : fmt::format(": `{}`", path));
  out += fmt::format("   expected  {}\n   found     {}\n", expected, found);
  if (!problem.sent.empty()) out += fmt::format("   sent      {}\n", problem.sent);
  if (!problem.received.empty()) out += fmt::format("   received  {}\n", problem.received);
  return out;
}

std::string log_text(const std::string& log) {
  std::string out = "\nIts stderr ends:\n";
  std::string_view rest = log;
  while (rest.ends_with('\n')) rest.remove_suffix(1);
  std::vector<std::string> lines;
  for (std::size_t end = 0; !rest.empty() && end != rest.npos;
       rest.remove_prefix(end == rest.npos ? rest.size() : end + 1)) {
    end = rest.find('\n');
    lines.push_back(protocol::excerpt(rest.substr(0, end), 200));
  }
  constexpr std::size_t most = 20;
  for (std::size_t i = lines.size() > most ? lines.size() - most : 0; i < lines.size(); ++i)
    out += "   " + lines[i] + "\n";
  return out;
}

void print(const CheckReport& report, const std::string& name) {
  std::cout << text::printable(name);
  if (!report.driver.empty()) std::cout << ": " << report.driver;
  std::cout << "\n\n" << trials_table(report);
  for (std::size_t i = 0; i < report.problems.size(); ++i)
    std::cout << problem_text(i + 1, report.problems[i]);
  if (report.problems.empty()) {
    std::cout << "\nNo problems: it speaks the protocol. Whether it keeps the contract is for "
                 "`assay certify`.\n";
    return;
  }
  if (!report.log.empty()) std::cout << log_text(report.log);
  std::cout << "\n"
            << text::plural(report.problems.size(), "problem")
            << "; docs/protocol.md has what is expected.\n";
}

}  // namespace

int driver_command(const DriverCommandArguments& arguments) {
  if (arguments.action != "check") {
    if (arguments.action.empty())
      return wrong_usage("driver needs to be told what to do: `assay driver check DRIVER`");
    return wrong_usage(
        unknown("driver command", arguments.action, {"check"}, "write `assay driver check DRIVER`")
            .message);
  }
  if (arguments.driver.empty())
    return wrong_usage("check needs a driver: `assay driver check 'exec:python3 my_driver.py'`");
  Result<Reachable> reachable = reachable_from(arguments.driver, arguments.how);
  if (!reachable) return wrong_usage(reachable.error().message);
  Trace trace;
  if (arguments.trace)
    reachable->options.trace = [&](char side, std::string_view text) { trace(side, text); };
  const CheckReport report = check_driver({reachable->to, reachable->options, arguments.how.url});
  trace.finish();
  print(report, arguments.driver);
  return report.problems.empty() ? 0 : exit_failed;
}

}  // namespace assay::cli
