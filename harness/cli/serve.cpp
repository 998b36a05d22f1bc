#include "harness/remote/serve.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <thread>

#include "harness/cli/catalogue.h"
#include "harness/cli/commands.h"
#include "harness/cli/interrupts.h"
#include "harness/cli/scratch.h"
#include "harness/cli/store.h"
#include "harness/cli/usage.h"
#include "harness/contract/version.h"
#include "harness/remote/connectable.h"

namespace assay::cli {
namespace {

// A scratch folder is made when a private store is needed, not before.
class Stores {
 public:
  Stores(DriverInfo driver, Profile profile, StoreWanted wanted)
      : driver_(std::move(driver)), profile_(std::move(profile)), wanted_(std::move(wanted)) {}

  Result<std::unique_ptr<Driver>> make(std::uint64_t seed, std::optional<std::string> url) {
    if (!url) url = wanted_.url;
    std::string folder;
    if (!url) {
      const std::lock_guard lock(mutex_);
      if (!scratch_) {
        auto made = Scratch::make();
        if (!made) return made.error();
        scratch_ = std::move(*made);
      }
      folder = scratch_->path();
      if (!store_.url) {
        auto found = store_for(driver_, wanted_, folder);
        if (!found) return found.error();
        store_ = std::move(*found);
      }
      url = store_.url;
    }
    return driver_.make({profile_, clock_, seed, url, folder});
  }

 private:
  DriverInfo driver_;
  Profile profile_;
  StoreWanted wanted_;
  VirtualClock clock_;
  std::mutex mutex_;
  std::unique_ptr<Scratch> scratch_;
  RunStore store_;  // gone before the folder that it lies in
};

Error cannot(std::string_view what) {
  return {ErrorCode::unavailable, fmt::format("cannot {}: {}", what, std::strerror(errno))};
}

Result<int> listen_on(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (const int failed =
          ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found))
    return invalid(fmt::format("--listen: {}: {}", address.host, ::gai_strerror(failed)));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  if (socket < 0) return cannot("make a socket");
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket, found->ai_addr, found->ai_addrlen) != 0 || ::listen(socket, 64) != 0) {
    const Error error = cannot(fmt::format("listen on {}:{}", address.host, address.port));
    ::close(socket);
    return error;
  }
  return socket;
}

int port_of(int socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  char port[16] = "0";
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size);
  ::getnameinfo(reinterpret_cast<sockaddr*>(&bound), size, nullptr, 0, port, sizeof port,
                NI_NUMERICSERV);
  return std::atoi(port);
}

void tell_trouble(const Status& status) {
  if (!status) std::cerr << "assay serve: " << status.error().message << "\n";
}

// A driver and a thread a connection, until an interrupt.
int serve_connections(const ServeOptions& options, const Address& address) {
  const Result<int> listener = listen_on(address);
  if (!listener) return trouble(listener.error().message);
  block_interrupts();
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ends, signal);
  const int interrupted = ::signalfd(-1, &ends, SFD_CLOEXEC);
  std::cerr << fmt::format("listening on {}:{}\n", address.host, port_of(*listener)) << std::flush;
  std::vector<std::pair<int, std::jthread>> clients;
  for (;;) {
    pollfd ready[] = {{*listener, POLLIN, 0}, {interrupted, POLLIN, 0}};
    ::poll(ready, 2, -1);
    if (ready[1].revents) break;
    const int client = ::accept4(*listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    const int on = 1;
    ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    clients.emplace_back(client, [&options, client] {
      tell_trouble(serve(options, client, client));
      ::shutdown(client, SHUT_RDWR);
    });
  }
  for (auto& [socket, thread] : clients) ::shutdown(socket, SHUT_RDWR);
  for (auto& [socket, thread] : clients) {
    thread.join();
    ::close(socket);
  }
  ::close(*listener);
  return 0;
}

}  // namespace

int serve_command(const ServeArguments& arguments) {
  if (arguments.driver.empty())
    return wrong_usage(
        "serve needs a driver: `assay serve memory`, or one of `assay list drivers`");
  const Result<DriverInfo> driver = driver_named(arguments.driver);
  if (!driver) return wrong_usage(driver.error().message);
  const Result<Profile> profile =
      profile_named(arguments.profile.value_or(driver->default_profile));
  if (!profile) return wrong_usage(profile.error().message);
  StoreWanted wanted{arguments.driver_url, arguments.backend};
  if (Status sound = check(wanted, *driver); !sound) return wrong_usage(sound.error().message);
  if (!wanted.url && !wanted.backend) wanted.url = named_by_environment(*driver);
  const bool shared = wanted.url.has_value();
  Stores stores(*driver, *profile, std::move(wanted));
  const ServeOptions options{driver->name, std::string(version()),
                             [&](std::uint64_t seed, std::optional<std::string> url) {
                               return stores.make(seed, std::move(url));
                             },
                             shared};
  if (arguments.listen) {
    const Result<Address> address = address_from(*arguments.listen);
    if (!address) return wrong_usage("--listen: " + address.error().message);
    return serve_connections(options, *address);
  }
  const Status served = serve(options, STDIN_FILENO, STDOUT_FILENO);
  tell_trouble(served);
  return served ? 0 : exit_trouble;
}

}  // namespace assay::cli
