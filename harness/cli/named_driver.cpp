#include "harness/cli/named_driver.h"

#include <fmt/format.h>

#include "harness/backend/url.h"
#include "harness/cli/catalogue.h"
#include "harness/cli/lines.h"
#include "harness/cli/store.h"
#include "harness/cli/usage.h"
#include "harness/contract/profile_json.h"
#include "harness/remote/remote_driver.h"
#include "reports/terminal.h"

namespace assay::cli {

static constexpr std::string_view hosted_prefix = "hosted:";

// Every language can hold it, also those whose numbers are floating.
static constexpr std::uint64_t largest_seed = (std::uint64_t{1} << 53) - 1;

static Result<double> timeout_from(const DriverArguments& how) {
  if (!how.timeout) return ConnectionOptions{}.answer_seconds;
  const Result<double> seconds = seconds_from(*how.timeout);
  if (!seconds) return invalid("--driver-timeout: " + seconds.error().message);
  return *seconds;
}

static Result<std::vector<std::pair<std::string, std::string>>> environment_from(
    const DriverArguments& how) {
  std::vector<std::pair<std::string, std::string>> environment;
  for (const std::string& entry : how.environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0)
      return invalid(fmt::format("--driver-env takes NAME=VALUE, not `{}`", entry));
    environment.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return environment;
}

// Options that only make sense for a process of the driver's own.
static std::optional<Error> without_process(const std::string& name, const DriverArguments& how) {
  const char* given = !how.environment.empty() ? "--driver-env"
                      : how.folder             ? "--driver-cwd"
                      : !how.words.empty()     ? "the words behind `--`"
                                               : nullptr;
  if (!given) return std::nullopt;
  return invalid(
      fmt::format("{} makes no sense for {}: it is for drivers that are started as "
                  "`exec:COMMAND`, or with --hosted",
                  given, name));
}

static Result<ConnectionOptions> connection_options(const DriverArguments& how) {
  const Result<double> timeout = timeout_from(how);
  if (!timeout) return timeout.error();
  ConnectionOptions options;
  options.answer_seconds = *timeout;
  if (how.timeout) options.start_seconds = *timeout;
  return options;
}

static Status add_surroundings(Command& command, const DriverArguments& how) {
  auto environment = environment_from(how);
  if (!environment) return environment.error();
  command.environment = std::move(*environment);
  command.folder = how.folder;
  return Done{};
}

Result<Reachable> reachable_from(const std::string& name, const DriverArguments& how) {
  auto to = connectable_from(name);
  if (!to) return to.error();
  auto options = connection_options(how);
  if (!options) return options.error();
  if (auto* command = std::get_if<Command>(&*to)) {
    if (Status added = add_surroundings(*command, how); !added) return added.error();
    command->words.insert(command->words.end(), how.words.begin(), how.words.end());
  } else if (auto wrong = without_process(name, how)) {
    return *wrong;
  }
  return Reachable{std::move(*to), std::move(*options)};
}

// A server of that kind is started for it, and lives by a clock of ours.
static Status give_store(const std::string& store, NamedDriver& driver) {
  if (store != "postgres" && store != "redis")
    return invalid(fmt::format("--store takes postgres or redis, not `{}`", store));
  if (driver.url) return invalid("--store and --driver-url contradict each other; leave one out");
  driver.clock = std::make_shared<StoreClock>();
  driver.info.backend = store;
  driver.info = on_store_clock(std::move(driver.info), driver.clock);
  return Done{};
}

static Result<NamedDriver> remote_from(const std::string& name, const DriverArguments& how,
                                       bool profile_given) {
  if (how.hosted)
    return invalid(
        fmt::format("--hosted is for built-in drivers; `{}` has a process already", name));
  auto reachable = reachable_from(name, how);
  if (!reachable) return reachable.error();
  NamedDriver driver;
  const auto* command = std::get_if<Command>(&reachable->to);
  driver.name = command && !how.words.empty() ? "exec:" + join_words(command->words) : name;
  driver.url = how.url;
  driver.claims_itself = true;
  driver.info.name = driver.name;
  driver.info.summary = "a driver behind the protocol";
  driver.info.make = [to = *reachable, profile_given](const DriverOptions& options) {
    RemoteOptions remote{to.to,
                         to.options,
                         std::nullopt,
                         options.url,
                         options.seed & largest_seed,
                         options.log_folder};
    if (profile_given)
      remote.profile = options.profile;
    else if (!options.profile.name.empty())
      remote.claimed = options.profile;
    return remote_driver(std::move(remote));
  };
  if (how.store)
    if (Status given = give_store(*how.store, driver); !given) return given.error();
  return driver;
}

// This very program, speaking the driver's side.
static Result<NamedDriver> hosted_from(const std::string& name, const DriverArguments& how) {
  const Result<DriverInfo> built_in = driver_named(name);
  if (!built_in) return built_in.error();
  auto options = connection_options(how);
  if (!options) return options.error();
  Command command;
  if (Status added = add_surroundings(command, how); !added) return added.error();
  NamedDriver driver;
  driver.name = std::string(hosted_prefix) + name;
  driver.url = how.url;
  driver.info = *built_in;
  driver.info.name = driver.name;
  driver.info.interleaving = Interleaving::calls;  // its gates are in another process
  driver.info.make = [=, private_store = built_in->private_store, backend = built_in->backend](
                         const DriverOptions& given) -> Result<std::unique_ptr<Driver>> {
    RemoteOptions remote{command, *options, std::nullopt, given.url, given.seed, given.log_folder};
    if (!remote.url && private_store) {
      auto made = private_store(given.scratch);
      if (!made) return made.error();
      remote.url = *made;
    }
    auto& words = std::get<Command>(remote.to).words;
    words = {"/proc/self/exe", "serve", name, "--profile", to_json(given.profile)};
    if (remote.url) {
      // A server's url holds a password, and others can read a command line.
      if (backend.empty())
        words.insert(words.end(), {"--driver-url", *remote.url});
      else
        std::get<Command>(remote.to).environment.emplace_back(url_variable(backend), *remote.url);
    }
    return remote_driver(std::move(remote));
  };
  return driver;
}

static Result<NamedDriver> any_from(const std::string& name, const DriverArguments& how,
                                    bool profile_given) {
  if (is_connectable(name)) return remote_from(name, how, profile_given);
  if (how.store)
    return invalid(
        fmt::format("--store is for drivers that are started as `exec:COMMAND` or `tcp:HOST:PORT`; "
                    "{} brings its own",
                    name));
  const bool prefixed = name.starts_with(hosted_prefix);
  if (how.hosted || prefixed)
    return hosted_from(prefixed ? name.substr(hosted_prefix.size()) : name, how);
  if (auto wrong = without_process(name, how)) return *wrong;
  Result<DriverInfo> info = driver_named(name);
  if (!info) return info.error();
  if (!info->backend.empty() || info->private_store) {
    auto apart = hosted_from(name, {});
    if (!apart) return apart.error();
    info->apart = std::make_shared<const DriverInfo>(std::move(apart->info));
  }
  return NamedDriver{name, std::move(*info), how.url, false};
}

Result<NamedDriver> driver_from(const std::string& name, const DriverArguments& how,
                                bool profile_given) {
  Result<NamedDriver> driver = any_from(name, how, profile_given);
  if (!driver) return driver;
  driver->backend = how.backend;
  driver->replica = how.replica;
  driver->toxiproxy = how.toxiproxy;
  if (Status sound = check_toxiproxy(how.toxiproxy); !sound) return sound.error();
  if (Status sound = check(wanted_by(*driver), driver->info); !sound) return sound.error();
  return driver;
}

StoreWanted wanted_by(const NamedDriver& driver) {
  StoreWanted wanted{driver.url, driver.backend};
  wanted.clock = driver.clock;
  wanted.replica = driver.replica;
  return wanted;
}

Result<Profile> profile_of(const NamedDriver& driver, const std::optional<std::string>& given) {
  if (given || !driver.claims_itself) {
    auto profile = profile_named(given.value_or(driver.info.default_profile));
    if (profile && driver.clock && profile->in_real_time())
      profile->capabilities.insert("virtual_time");
    return profile;
  }
  VirtualClock clock;
  const Profile unknown{.name = ""};
  const auto made = driver.info.make({unknown, clock, 0, driver.url, ""});
  if (!made) return made.error();
  return (*made)->profile();
}

std::string replay_options(const DriverArguments& how) {
  std::string text;
  const auto add = [&](std::string_view option, const std::string& value) {
    text += fmt::format(" {} {}", option, shell_quoted(value));
  };
  if (how.url) add("--driver-url", without_password(*how.url));
  if (how.store) add("--store", *how.store);
  if (how.backend) add("--backend", *how.backend);
  if (how.toxiproxy) add("--toxiproxy", *how.toxiproxy);
  for (const std::string& entry : how.environment) add("--driver-env", entry);
  if (how.folder) add("--driver-cwd", *how.folder);
  if (how.timeout) add("--driver-timeout", *how.timeout);
  return text;
}

}  // namespace assay::cli
