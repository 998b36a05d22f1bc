// assay: the program. Takes the command line apart and hands it to its command.
#include <signal.h>

#include <cstdlib>
#include <exception>
#include <iostream>

#include "harness/cli/arguments.h"
#include "harness/cli/commands.h"
#include "harness/cli/output.h"
#include "harness/cli/usage.h"

namespace assay::cli {

namespace {
struct Dispatch {
  const Program& program;

  int operator()(const CertifyArguments& arguments) { return certify_command(arguments, program); }
  int operator()(const ReplayArguments& arguments) { return replay_command(arguments); }
  int operator()(const ExploreArguments& arguments) { return explore_command(arguments, program); }
  int operator()(const ChaosArguments& arguments) { return chaos_command(arguments, program); }
  int operator()(const SweepArguments& arguments) { return sweep_command(arguments, program); }
  int operator()(const RunArguments& arguments) { return run_command(arguments); }
  int operator()(const JudgeArguments& arguments) { return judge_command(arguments); }
  int operator()(const ServeArguments& arguments) { return serve_command(arguments); }
  int operator()(const ProxyArguments& arguments) { return proxy_command(arguments); }
  int operator()(const DriverCommandArguments& arguments) { return driver_command(arguments); }
  int operator()(const BenchArguments& arguments) { return bench_command(arguments); }
  int operator()(const QueueArguments& arguments) { return queue_command(arguments, program); }
  int operator()(const HealArguments& arguments) { return heal_command(arguments); }
  int operator()(const ListArguments& arguments) { return list_command(arguments); }
  int operator()(const ExplainArguments& arguments) { return explain_command(arguments); }
  int operator()(const PrintArguments& arguments) { return print_command(arguments); }
  int operator()(const ShowText& shown) {
    std::cout << shown.text;
    return 0;
  }
  int operator()(const NoCommand& none) {
    std::cerr << none.help;
    return exit_usage;
  }
};
}  // namespace

static int run_program(int argc, char** argv) {
  // A reader that went away (`| head`) is no trouble: the verdict is in the exit status and the
  // run folder.
  signal(SIGPIPE, SIG_IGN);
  Program program;
  // The launcher script says how it was called itself.
  if (const char* launcher = std::getenv("ASSAY_PROGRAM"); launcher && *launcher)
    program.name = launcher;
  else if (argc > 0)
    program.name = argv[0];
  if (argc == 2 && argv[1] == engine_worker_word) return engine_worker_command();
  Result<Arguments> arguments = parse(argc, argv);
  if (!arguments) return wrong_usage(arguments.error().message);
  Output output;
  const int status = std::visit(Dispatch{program}, *arguments);
  const std::optional<std::string> failure = output.failure();
  if (!failure) return status;
  const int in_trouble = trouble("cannot write all of the output: " + *failure);
  return status == exit_failed ? status : in_trouble;  // a conviction comes before our own trouble
}

}  // namespace assay::cli

int main(int argc, char** argv) {
  try {
    return assay::cli::run_program(argc, argv);
  } catch (const std::exception& unforeseen) {
    return assay::cli::trouble(std::string("this should not have happened: ") + unforeseen.what());
  } catch (...) {
    return assay::cli::trouble("this should not have happened: something unknown was thrown");
  }
}
