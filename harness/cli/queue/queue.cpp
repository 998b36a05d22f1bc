// `assay queue`: takes its command line apart and hands it to one of its commands.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>

#include "harness/cli/commands.h"
#include "harness/cli/queue/all.h"
#include "harness/cli/usage.h"

namespace assay::cli {

namespace {

constexpr const char* about =
    "A queue for the shell: enqueues jobs, works them off and looks at them, by the reference\n"
    "engine on any driver.";

constexpr const char* footer =
    "Which queue: a url says where it is, in --driver-url or in the variable ASSAY_QUEUE_URL:\n"
    "sqlite:/path/to/file, postgres://USER@HOST/DATABASE, redis://HOST:PORT, exec:COMMAND or\n"
    "tcp:HOST:PORT. --namespace keeps several apart in one store (default: default). It is made\n"
    "when it is first used.\n\n"
    "Examples:\n"
    "  export ASSAY_QUEUE_URL=sqlite:/tmp/jobs.db\n"
    "  assay queue enqueue echo 'hello, world'\n"
    "  assay queue enqueue thumbnail --payload-file cat.png --limit 5 --timeout 30s\n"
    "  assay queue work --handler thumbnail=exec:'convert - -resize 64x64 /tmp/cat.png' --drain\n"
    "  assay queue list --state ready\n"
    "  assay queue dead list; assay queue dead requeue --all\n"
    "  assay queue flow submit picture.json; assay queue flow show picture-7\n"
    "  assay queue schedule add nightly '30 3 * * *' report\n"
    "  assay queue stress --driver redis --jobs 10000 --seed 7\n\n"
    "Exit status: 0 done; 1 the queue refused it, or a rule FAILs (stress); 2 something is left, "
    "or\n"
    "inconclusive; 3 trouble: the store cannot be reached, for one; 64 wrong usage.";

struct Adder {
  CLI::App& app;
  const queue::Takes::One& one;

  bool is_option() const { return one.name.starts_with("-"); }
  void operator()(bool* to) { app.add_flag(one.name, *to, one.help); }
  void operator()(std::optional<std::string>* to) {
    app.add_option(one.name, *to, one.help)->type_name(one.type);
  }
  void operator()(std::vector<std::string>* to) {
    CLI::Option* option = app.add_option(one.name, *to, one.help)->type_name(one.type);
    if (is_option()) option->allow_extra_args(false);
  }
};

// "dead list" is the command `list` of `dead`.
CLI::App* app_for(CLI::App& app, const queue::Command& command) {
  const std::string name(command.name());
  const auto blank = name.find(' ');
  if (blank == name.npos) return app.add_subcommand(name, std::string(command.summary()));
  const std::string family = name.substr(0, blank);
  CLI::App* parent = nullptr;
  for (CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; }))
    if (one->get_name() == family) parent = one;
  if (!parent)
    parent = app.add_subcommand(family, "Several: see `assay queue " + family + " --help`");
  parent->require_subcommand(0, 1);
  return parent->add_subcommand(name.substr(blank + 1), std::string(command.summary()));
}

// What was not understood, in our words.
std::optional<Error> objection_to(const CLI::App& app, const std::string& called) {
  const auto extras = app.remaining();
  if (extras.empty()) return std::nullopt;
  const std::string& first = extras.front();
  const std::string advice = fmt::format("see `assay {} --help`", called);
  std::vector<std::string> known;
  if (first.starts_with("-")) {
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    return unknown("option", first.substr(0, first.find('=')), known, advice);
  }
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(one->get_name());
  if (!known.empty()) return unknown("command", first, known, advice);
  return invalid(fmt::format("`{}` is one argument too many; {}", first, advice));
}

// The innermost that was called, and what it was called as.
std::pair<CLI::App*, std::string> called(CLI::App& app) {
  CLI::App* at = &app;
  std::string name = "queue";
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    name += " " + at->get_name();
  }
  return {at, name};
}

}  // namespace

int queue_command(const QueueArguments& arguments, const Program& program) {
  CLI::App app(about, "assay queue");
  app.get_formatter()->column_width(30);
  app.require_subcommand(0, 1);
  app.footer(footer);
  const auto commands = queue::all_commands();
  std::map<const CLI::App*, queue::Command*> by_app;
  for (const auto& command : commands) {
    CLI::App* own = app_for(app, *command);
    queue::Takes takes;
    command->take(takes);
    for (const queue::Takes::One& one : takes.all()) std::visit(Adder{*own, one}, one.to);
    own->footer(std::string(command->footer()));
    own->allow_extras();
    own->get_parent()->allow_extras();
    by_app[own] = command.get();
  }
  try {
    std::vector<std::string> words(arguments.words.rbegin(), arguments.words.rend());
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& wrong) {
    return wrong_usage(fmt::format("{}; see `assay {} --help`", wrong.what(), called(app).second));
  }
  const auto [chosen, name] = called(app);
  for (const CLI::App* at = chosen; at; at = at->get_parent())
    if (auto objection = objection_to(*at, name)) return wrong_usage(objection->message);
  const auto command = by_app.find(chosen);
  if (command == by_app.end()) {
    std::cerr << chosen->help();
    return exit_usage;
  }
  return command->second->run(program);
}

}  // namespace assay::cli
