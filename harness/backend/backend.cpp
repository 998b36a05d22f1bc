#include "harness/backend/backend.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/backend/detail/scripts.h"
#include "harness/backend/detail/wake.h"
#include "harness/remote/listener.h"

namespace assay {

namespace fs = std::filesystem;

namespace {

struct KindName {
  BackendKind kind;
  std::string_view name;
};
constexpr std::array kind_names{KindName{BackendKind::automatic, "auto"},
                                KindName{BackendKind::native, "native"},
                                KindName{BackendKind::docker, "docker"}};

struct ReplicaName {
  Replica replica;
  std::string_view name;
};
constexpr std::array replica_names{
    ReplicaName{Replica::none, "none"}, ReplicaName{Replica::async, "async"},
    ReplicaName{Replica::sync, "sync"}, ReplicaName{Replica::sentinel, "sentinel"}};

// An image may have to be fetched first.
constexpr double start_seconds = 600;
constexpr double verb_seconds = 60;

Error unavailable(std::string message) { return {ErrorCode::unavailable, std::move(message)}; }

std::string title_of(std::string_view name) { return name == "postgres" ? "PostgreSQL" : "Redis"; }

Result<std::string> make_folder(std::string_view name, const std::string& scratch) {
  std::string path = fmt::format("{}/{}-XXXXXX", scratch, name);
  if (!::mkdtemp(path.data()))
    return unavailable(
        fmt::format("cannot make a folder in {}: {}", scratch, std::strerror(errno)));
  for (const detail::ScriptFile& script : detail::backend_scripts()) {
    std::ofstream file(fmt::format("{}/{}", path, script.name), std::ios::binary);
    if (!(file << script.text << std::flush))
      return unavailable(fmt::format("cannot write to {}", path));
  }
  return path;
}

// The last line, without the name of the script that said it.
std::string complaint(const std::string& name, std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  text.erase(0, text.rfind('\n') + 1);
  if (text.starts_with(name + ": ")) text.erase(0, name.size() + 2);
  return text.empty() ? fmt::format("{} could not be started", title_of(name)) : text;
}

// What it said.
Result<std::string> run(const std::string& name, const Command& command) {
  auto process = Process::start(command);
  if (!process) return process.error();
  Listener listener(**process);
  if (!listener.listen(false, verb_seconds, {}))
    return unavailable(fmt::format("{} took longer than {} s", command.words[2], verb_seconds));
  const auto ending = (*process)->ending(verb_seconds);
  if (ending == "ended with status 0") return std::move(listener.said);
  return unavailable(complaint(name, listener.complained));
}

Result<Instant> instant_in(const std::string& said) {
  std::int64_t ms = 0;
  if (std::from_chars(said.data(), said.data() + said.size(), ms).ec != std::errc{})
    return unavailable("the server did not say what time it has");
  return instant_from_ms(ms);
}

}  // namespace

std::string_view name_of(BackendKind kind) {
  for (const auto& [known, name] : kind_names)
    if (known == kind) return name;
  return "";
}

std::optional<BackendKind> backend_kind_from(std::string_view name) {
  for (const auto& [kind, known] : kind_names)
    if (known == name) return kind;
  return std::nullopt;
}

std::string_view name_of(Replica replica) {
  for (const auto& [known, name] : replica_names)
    if (known == replica) return name;
  return "";
}

std::optional<Replica> replica_from(std::string_view name) {
  for (const auto& [replica, known] : replica_names)
    if (known == name) return replica;
  return std::nullopt;
}

Result<std::unique_ptr<Backend>> start_backend(std::string_view name,
                                               const BackendOptions& options) {
  if (name != "postgres" && name != "redis")
    return invalid(fmt::format("there is no backend `{}`; there are postgres and redis", name));
  auto backend = std::unique_ptr<Backend>(new Backend(name));
  if (Status begun = backend->begin(options); !begun) return begun.error();
  return backend;
}

Backend::~Backend() { static_cast<void>(stop()); }

Status Backend::begin(const BackendOptions& options) {
  auto folder = make_folder(name_, fs::absolute(options.scratch).string());
  if (!folder) return folder.error();
  folder_ = std::move(*folder);
  std::vector<std::string> words{"--backend", std::string(name_of(options.kind)), "--owner",
                                 std::to_string(::getpid())};
  if (options.virtual_clock) {
    auto library = ClockLibrary::write(folder_);
    if (!library) return library.error();
    clock_library_ = std::move(*library);
    words.insert(words.end(), {"--clock", clock_library_->path()});
  }
  if (!options.data_folder.empty())
    words.insert(words.end(), {"--data", fs::absolute(options.data_folder).string()});
  for (const auto& [setting, value] : options.settings)
    words.insert(words.end(), {"--set", setting + "=" + value});
  replica_ = options.replica;
  if (replica_ != Replica::none)
    words.insert(words.end(), {"--replica", std::string(name_of(replica_))});
  if (Status served = serve(std::move(words), options.stop); !served) return served.error();
  std::ifstream file(folder_ + "/state/url");
  if (!std::getline(file, url_)) return unavailable("the url of the server cannot be read");
  return serve_replica(options.stop);
}

// The scripts are read by a shell, wherever they lie: a folder of scratch may forbid programs.
Command Backend::command(const std::string& verb) const {
  return {{"/bin/sh", folder_ + "/" + name_, verb, "--dir", folder_ + "/state"}, {}, {}};
}

Status Backend::serve(std::vector<std::string> more_words, const std::stop_token& stop) {
  Command serving = command("serve");
  serving.words.insert(serving.words.end(), more_words.begin(), more_words.end());
  auto process = Process::start(serving);
  if (!process) return process.error();
  Listener listener(**process);
  const bool heard = listener.listen(true, start_seconds, stop);
  std::istringstream line(listener.said);
  std::string ready, kind, lives_at;
  if (!(line >> ready >> kind >> port_ >> version_) || ready != "ready") {
    if (stop.stop_requested()) return unavailable("stopped before the server was ready");
    return unavailable(heard ? complaint(name_, listener.complained)
                             : fmt::format("{} did not start in time", title_of(name_)));
  }
  kind_ = backend_kind_from(kind).value_or(BackendKind::native);
  line >> lives_at;
  if (Status proved = prove_clock(lives_at); !proved) return proved;
  serving_ = std::move(*process);
  return Done{};
}

// What is started besides the server, for as long as the process that comes back is kept.
Result<std::unique_ptr<Process>> Backend::serve_beside(const std::string& verb,
                                                       const std::stop_token& stop) {
  auto process = Process::start(command(verb));
  if (!process) return process.error();
  Listener listener(**process);
  if (!listener.listen(true, verb_seconds, stop))
    return unavailable(fmt::format("{} took longer than {} s", verb, verb_seconds));
  if (!listener.said.starts_with("ready"))
    return unavailable(complaint(name_, listener.complained));
  return std::move(*process);
}

Status Backend::serve_replica(const std::stop_token& stop) {
  if (replica_ == Replica::none) return Done{};
  serving_replica_.reset();
  auto serving = serve_beside("serve-replica", stop);
  if (!serving) return serving.error();
  serving_replica_ = std::move(*serving);
  return Done{};
}

// The script has asked the server. The file is the one that we move the clock by from now on.
Status Backend::prove_clock(const std::string& lives_at) {
  if (!clock_library_) return Done{};
  if (!clock_) {
    auto clock = ClockFile::open(folder_ + "/state/clock");
    if (!clock) return clock.error();
    if ((*clock)->base() != run_epoch) return unavailable("the virtual clock began elsewhere");
    clock_ = std::move(*clock);
  }
  const auto told = instant_in(lives_at);
  if (told.ok() && *told == clock_->base()) return Done{};
  return unavailable(fmt::format("{} does not live by the virtual clock", title_of(name_)));
}

Status Backend::set_clock(Instant at) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return conflict("the server was stopped");
  if (!clock_) return unsupported("the server was started without a virtual clock");
  if (at < Instant{} || at > end_of_time) return invalid("no server has such a time");
  clock_->stand_at(at);
  if (serving_ && name_ == "postgres") detail::wake_postgres(folder_ + "/state/pid");
  return Done{};
}

Result<Instant> Backend::clock() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return conflict("the server was stopped");
  if (!clock_) return unsupported("the server was started without a virtual clock");
  if (!serving_) return unavailable("the server was crashed");
  const auto said = run(name_, command("clock"));
  if (!said) return said.error();
  return instant_in(*said);
}

std::string Backend::description() const {
  return fmt::format(
      "{} {} ({}, 127.0.0.1:{}{})", title_of(name_), version_, name_of(kind_), port_,
      replica_ == Replica::none ? "" : fmt::format(", with a replica: {}", name_of(replica_)));
}

Status Backend::crash_it() {
  if (!serving_) return Done{};
  if (const auto crashed = run(name_, command("crash")); !crashed) return crashed.error();
  if (!serving_->ending(verb_seconds))
    return unavailable(fmt::format("{} was killed and still runs", title_of(name_)));
  serving_.reset();
  return Done{};
}

Status Backend::crash() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return conflict("the server was stopped");
  return crash_it();
}

Status Backend::shut_down() {
  const std::lock_guard lock(mutex_);
  if (stopped_ || !serving_) return conflict("the server does not run");
  if (const auto told = run(name_, command("shutdown")); !told) return told.error();
  const auto ending = serving_->ending(verb_seconds);
  serving_.reset();
  if (ending == "ended with status 0") return Done{};
  return unavailable(fmt::format("{} was asked to end in good order, and {}", title_of(name_),
                                 ending.value_or("still runs")));
}

bool Backend::is_running() {
  const std::lock_guard lock(mutex_);
  return !stopped_ && serving_ && !serving_->ending();
}

Result<std::vector<int>> Backend::processes() {
  const std::lock_guard lock(mutex_);
  if (stopped_ || !serving_) return conflict("the server does not run");
  if (kind_ != BackendKind::native)
    return unsupported("the processes of a container are not ours to touch");
  const auto said = run(name_, command("processes"));
  if (!said) return said.error();
  std::istringstream numbers(*said);
  std::vector<int> all;
  for (int number = 0; numbers >> number;) all.push_back(number);
  return all;
}

Status Backend::limit_memory(std::optional<std::uint64_t> bytes) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || !serving_) return conflict("the server does not run");
  Command limiting = command("limit-memory");
  if (bytes) limiting.words.push_back(std::to_string(*bytes));
  const auto limited = run(name_, limiting);
  return limited ? Status(Done{}) : Status(limited.error());
}

Result<std::string> Backend::ask(const std::vector<std::string>& words) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || !serving_) return conflict("the server does not run");
  Command asking = command(name_ == "postgres" ? "psql" : "cli");
  asking.words.insert(asking.words.end(), words.begin(), words.end());
  return run(name_, asking);
}

Status Backend::restart() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return conflict("the server was stopped");
  if (Status crashed = crash_it(); !crashed) return crashed;
  return serve({}, {});
}

Status Backend::pause() {
  const std::lock_guard lock(mutex_);
  if (stopped_ || !serving_) return conflict("the server does not run");
  const auto paused = run(name_, command("pause"));
  return paused ? Status(Done{}) : Status(paused.error());
}

Status Backend::go_on() {
  const std::lock_guard lock(mutex_);
  if (stopped_ || !serving_) return Done{};
  const auto gone_on = run(name_, command("go-on"));
  return gone_on ? Status(Done{}) : Status(gone_on.error());
}

Status Backend::hold_back(bool lags) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return conflict("the server was stopped");
  if (replica_ == Replica::none) return unsupported("the server was started without a replica");
  // Sentinels learn of the replica while all is well.
  if (replica_ == Replica::sentinel && !serving_sentinels_) {
    auto serving = serve_beside("serve-sentinels", {});
    if (!serving) return serving.error();
    serving_sentinels_ = std::move(*serving);
  }
  Command holding = command("hold-back");
  if (lags) holding.words.emplace_back("--lag");
  const auto held = run(name_, holding);
  return held ? Status(Done{}) : Status(held.error());
}

// Afterwards nothing runs.
Result<FailedOver> Backend::promote() {
  const auto told = run(name_, command("promote"));
  serving_sentinels_.reset();
  serving_replica_.reset();
  serving_.reset();
  if (!told) return told.error();
  std::istringstream lines(*told);
  FailedOver done;
  if (!std::getline(lines, done.proof) || !std::getline(lines, done.measured))
    return unavailable("the servers did not say that one was promoted");
  return done;
}

Result<FailedOver> Backend::fail_over() {
  const std::lock_guard lock(mutex_);
  if (stopped_) return conflict("the server was stopped");
  if (replica_ == Replica::none) return unsupported("the server was started without a replica");
  Result<FailedOver> done = promote();
  if (Status back = serve({}, {}); !back) return back.error();
  if (Status followed = serve_replica({}); !followed) return followed.error();
  return done;
}

Status Backend::stop() {
  const std::lock_guard lock(mutex_);
  if (stopped_ || folder_.empty()) return Done{};
  stopped_ = true;
  const auto stopped = run(name_, command("stop"));
  serving_sentinels_.reset();
  serving_replica_.reset();
  serving_.reset();  // kills what may be left
  clock_.reset();
  clock_library_.reset();
  std::error_code failed;
  fs::remove_all(folder_, failed);
  if (!stopped) return stopped.error();
  return Done{};
}

}  // namespace assay
