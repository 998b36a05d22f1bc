#include "faults/toxiproxy/instance.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "faults/toxiproxy/server.h"
#include "harness/contract/clock.h"
#include "harness/remote/process.h"

namespace assay::toxiproxy {

class Instance::Core {
 public:
  Core(InstanceKind kind, Client client, std::string description)
      : kind(kind), client(std::move(client)), description(std::move(description)) {}

  const InstanceKind kind;
  const Client client;
  const std::string description;
  std::unique_ptr<Process> process;
  std::unique_ptr<Server> server;
};

namespace {

constexpr double start_seconds = 20;

// Empty: there is none.
std::string found_in_path(const std::string& program) {
  if (program.find('/') != std::string::npos)
    return ::access(program.c_str(), X_OK) == 0 ? program : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + "/" + program;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

// Free now; another program may take it before ours does, and then the next one is tried.
Result<int> free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  const bool is_bound =
      socket >= 0 && ::bind(socket, plain, size) == 0 && ::getsockname(socket, plain, &size) == 0;
  if (socket >= 0) ::close(socket);
  if (is_bound) return static_cast<int>(ntohs(address.sin_port));
  return Error{ErrorCode::unavailable, "no free port of 127.0.0.1 can be had"};
}

// Its output is read away: a full pipe would stop it.
void drain(int descriptor) {
  char bytes[4096];
  while (::read(descriptor, bytes, sizeof bytes) > 0) {
  }
}

Result<std::string> answers(const Client& client, Process& process) {
  RealClock clock;
  const Stopwatch watch;
  for (;;) {
    auto version = client.version();
    if (version.ok() || version.error().code != ErrorCode::unavailable) return version;
    if (const auto ending = process.ending())
      return Error{ErrorCode::unavailable, fmt::format("the toxiproxy-server {}", *ending)};
    if (watch.seconds() > start_seconds) return version;
    drain(process.output());
    drain(process.log());
    clock.sleep_until(clock.now() + Duration{5}, {});
  }
}

}  // namespace

InstanceWanted wanted_here(std::optional<std::string> url, std::uint64_t seed) {
  InstanceWanted wanted{std::move(url), seed};
  if (const char* named = std::getenv("ASSAY_TOXIPROXY_URL"); named && *named)
    wanted.named_by_environment = named;
  return wanted;
}

Instance::Instance(std::unique_ptr<Core> core) : core_(std::move(core)) {}
Instance::~Instance() = default;
InstanceKind Instance::kind() const { return core_->kind; }
const Client& Instance::client() const { return core_->client; }
const std::string& Instance::description() const { return core_->description; }

static Result<std::pair<Client, std::string>> named(const std::string& url) {
  auto client = Client::to(url);
  if (!client.ok()) return client.error();
  auto version = client->version();
  if (!version.ok()) return version.error();
  return std::pair(std::move(*client), std::move(*version));
}

namespace {

struct Started {
  Client client;
  std::string version;
  std::unique_ptr<Process> process;
};

Result<Started> start_once(const std::string& program) {
  const auto port = free_port();
  if (!port.ok()) return port.error();
  auto client = Client::to(fmt::format("http://127.0.0.1:{}", *port));
  if (!client.ok()) return client.error();
  auto process = Process::start(
      {{program, "-host", "127.0.0.1", "-port", std::to_string(*port)}, {{"LOG_LEVEL", "fatal"}}});
  if (!process.ok()) return process.error();
  auto version = answers(*client, **process);
  if (!version.ok()) return version.error();
  return Started{std::move(*client), std::move(*version), std::move(*process)};
}

Result<Started> start(const std::string& program) {
  constexpr int attempts = 3;
  auto started = start_once(program);
  for (int i = 1; i < attempts && !started.ok(); ++i) started = start_once(program);
  return started;
}

}  // namespace

std::string expected(const InstanceWanted& wanted) {
  if (wanted.url) return *wanted.url;
  if (wanted.named_by_environment)
    return fmt::format("{}, which ASSAY_TOXIPROXY_URL names", *wanted.named_by_environment);
  const std::string program = found_in_path(wanted.program);
  return program.empty() ? fmt::format("the embedded proxy: no {} is on PATH", wanted.program)
                         : fmt::format("{}, which is on PATH", program);
}

Result<std::unique_ptr<Instance>> Instance::find_other(const InstanceWanted& wanted) {
  const auto made = [](std::unique_ptr<Core> core) {
    return std::unique_ptr<Instance>(new Instance(std::move(core)));
  };
  if (const auto& url = wanted.url ? wanted.url : wanted.named_by_environment) {
    auto there = named(*url);
    if (!there.ok()) return there.error();
    return made(std::make_unique<Core>(
        InstanceKind::named, there->first,
        fmt::format("Toxiproxy {} at {}, which {} names", there->second, there->first.url(),
                    wanted.url ? "--toxiproxy" : "ASSAY_TOXIPROXY_URL")));
  }
  if (const std::string program = found_in_path(wanted.program); !program.empty()) {
    auto started = start(program);
    if (!started.ok()) return started.error();
    auto core =
        std::make_unique<Core>(InstanceKind::started, started->client,
                               fmt::format("Toxiproxy {} ({}), started for this run at {}",
                                           started->version, program, started->client.url()));
    core->process = std::move(started->process);
    return made(std::move(core));
  }
  return std::unique_ptr<Instance>();
}

Result<std::unique_ptr<Instance>> Instance::find(const InstanceWanted& wanted) {
  auto other = find_other(wanted);
  if (!other.ok() || *other) return other;
  auto server = Server::start({"127.0.0.1", 0, wanted.seed});
  if (!server.ok()) return server.error();
  auto client = Client::to((*server)->url());
  if (!client.ok()) return client.error();
  auto core =
      std::make_unique<Core>(InstanceKind::embedded, *client,
                             fmt::format("the embedded proxy at {} (seed {}): no {} is on PATH",
                                         client->url(), wanted.seed, wanted.program));
  core->server = std::move(*server);
  return std::unique_ptr<Instance>(new Instance(std::move(core)));
}

}  // namespace assay::toxiproxy
