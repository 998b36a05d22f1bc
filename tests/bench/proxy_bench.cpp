// What the gate proxy costs: round trips to a real Redis and a real Postgres, direct, through a
// plain relay, through the real Toxiproxy (on PATH, or named by ASSAY_TOXIPROXY_URL), through the
// proxy while everything passes, and while each request is held and released at once, in one run,
// interleaved. Nothing is asserted.
//
//   proxy_bench [ROUND-TRIPS]
#include <arpa/inet.h>
#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <libpq-fe.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "faults/toxiproxy/instance.h"
#include "harness/backend/backend.h"
#include "harness/contract/check.h"
#include "harness/contract/clock.h"
#include "harness/proxy/lock_oracle.h"
#include "harness/proxy/proxy.h"

namespace assay {
namespace {

using namespace proxy;

constexpr int rounds = 7;
constexpr int clients = 8;
constexpr int pipeline = 16;

// The naive way: a thread a direction, blocking reads and writes.
class Relay {
 public:
  explicit Relay(const Upstream& upstream) : upstream_(upstream) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    CHECK(::bind(listener_, plain, size) == 0 && ::listen(listener_, 64) == 0);
    CHECK(::getsockname(listener_, plain, &size) == 0);
    port = ntohs(address.sin_port);
    thread_ = std::jthread([this] { serve(); });
  }
  ~Relay() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

  int port = 0;

 private:
  static void move(int from, int to) {
    char bytes[64 * 1024];
    for (ssize_t size; (size = ::recv(from, bytes, sizeof bytes, 0)) > 0;)
      if (::send(to, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL) < 0) break;
    ::shutdown(to, SHUT_WR);
  }

  void serve() {
    std::vector<std::jthread> threads;
    const int yes = 1;
    for (int client; (client = ::accept(listener_, nullptr, nullptr)) >= 0;) {
      const int server = ::socket(upstream_.address.family, SOCK_STREAM | SOCK_CLOEXEC, 0);
      CHECK(::connect(server, reinterpret_cast<const sockaddr*>(upstream_.address.bytes.data()),
                      static_cast<socklen_t>(upstream_.address.bytes.size())) == 0);
      for (const int end : {client, server})
        ::setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      threads.emplace_back([client, server] { move(client, server); });
      threads.emplace_back([client, server] { move(server, client); });
    }
  }

  const Upstream upstream_;
  int listener_;
  std::jthread thread_;
};

// A way to the store through a Toxiproxy without toxics. That one may be another's, so nothing of
// ours is left in it.
class Toxic {
 public:
  static Result<std::unique_ptr<Toxic>> start(const toxiproxy::Client& client,
                                              const std::string& store, const Upstream& upstream) {
    auto made = client.create({fmt::format("proxy_bench_{}_{}", store, ::getpid()), "127.0.0.1:0",
                               fmt::format("127.0.0.1:{}", upstream.port)});
    if (!made.ok()) return made.error();
    return std::unique_ptr<Toxic>(new Toxic(client, *made));
  }
  ~Toxic() { CHECK(client_.remove(name_).ok()); }
  Toxic(const Toxic&) = delete;
  Toxic& operator=(const Toxic&) = delete;

  const int port;

 private:
  Toxic(const toxiproxy::Client& client, const ProxySpec& spec)
      : port(std::stoi(spec.listen.substr(spec.listen.rfind(':') + 1))),
        client_(client),
        name_(spec.name) {}

  const toxiproxy::Client client_;
  const std::string name_;
};

// The real one of this machine. An error says why there is none.
Result<std::unique_ptr<toxiproxy::Instance>> real_toxiproxy() {
  auto found = toxiproxy::Instance::find(toxiproxy::wanted_here(std::nullopt, 0));
  if (!found.ok()) return found.error();
  if ((*found)->kind() == toxiproxy::InstanceKind::embedded)
    return Error{ErrorCode::unavailable,
                 "no toxiproxy-server is on PATH, and ASSAY_TOXIPROXY_URL names none"};
  const std::string& url = (*found)->client().url();
  for (const char* here : {"http://127.0.0.1:", "http://localhost:"})
    if (url.rfind(here, 0) == 0) return found;
  return Error{ErrorCode::unsupported, url + " is not of this machine, and the stores are"};
}

struct Passing : ProxyListener {
  void held(const HeldRequest&) override {}
  void answered(const Answer&) override {}
};

// Each request is let go at once, by the proxy's own thread.
struct Releasing final : Passing {
  void held(const HeldRequest& request) override { CHECK(proxy->release(request.from).ok()); }
  GateProxy* proxy = nullptr;
};

// Each request is let go by another thread, as a scheduler would.
class Scheduling final : public Passing {
 public:
  Scheduling() {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  void held(const HeldRequest& request) override {
    {
      const std::scoped_lock lock(mutex_);
      held_.push_back(request.from);
    }
    changed_.notify_one();
  }
  GateProxy* proxy = nullptr;

 private:
  void run(const std::stop_token& stop) {
    for (;;) {
      std::vector<ConnectionId> some;
      {
        std::unique_lock lock(mutex_);
        if (!changed_.wait(lock, stop, [&] { return !held_.empty(); })) return;
        std::swap(some, held_);
      }
      for (const ConnectionId id : some) CHECK(proxy->release(id).ok());
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<ConnectionId> held_;
  std::jthread thread_;
};

// A connection that can make a round trip, or many at once.
struct Client {
  std::function<void()> round_trip;
  std::function<void(int)> many;
};

Client redis_client(const std::string& url, int port) {
  const std::size_t at = url.rfind('@'), colon = url.rfind(':', at);
  std::shared_ptr<redisContext> context(redisConnect("127.0.0.1", port), redisFree);
  CHECK(context && context->err == 0);
  const auto ask = [context](const std::string& command) {
    auto* reply = static_cast<redisReply*>(redisCommand(context.get(), command.c_str()));
    CHECK(reply && reply->type != REDIS_REPLY_ERROR);
    freeReplyObject(reply);
  };
  ask("AUTH " + url.substr(colon + 1, at - colon - 1));
  return {[ask] { ask("SET k 0123456789012345678901234567890123456789"); },
          [context](int count) {
            for (int i = 0; i < count; ++i) redisAppendCommand(context.get(), "INCR n");
            for (int i = 0; i < count; ++i) {
              void* reply = nullptr;
              CHECK(redisGetReply(context.get(), &reply) == REDIS_OK);
              freeReplyObject(reply);
            }
          }};
}

Client postgres_client(const std::string& url, int port) {
  std::shared_ptr<PGconn> connection(PQconnectdb(url_through(url, port).c_str()), PQfinish);
  CHECK(PQstatus(connection.get()) == CONNECTION_OK);
  PQclear(PQprepare(connection.get(), "one", "select 1", 0, nullptr));
  return {[connection] {
            PGresult* result =
                PQexecPrepared(connection.get(), "one", 0, nullptr, nullptr, nullptr, 0);
            CHECK(PQresultStatus(result) == PGRES_TUPLES_OK);
            PQclear(result);
          },
          [connection](int count) {
            PGconn* link = connection.get();
            CHECK(PQenterPipelineMode(link));
            for (int i = 0; i < count; ++i) {
              CHECK(PQsendQueryPrepared(link, "one", 0, nullptr, nullptr, nullptr, 0));
              CHECK(PQpipelineSync(link));
            }
            for (int i = 0; i < count; ++i) {
              PQclear(PQgetResult(link));
              CHECK(PQgetResult(link) == nullptr);
              PQclear(PQgetResult(link));
            }
            CHECK(PQexitPipelineMode(link));
          }};
}

struct Figures {
  double median_us = 0, p99_us = 0, cpu_us = 0;  // one client
  double each_second = 0;                        // many clients
  double pipelined_each_second = 0;              // one client, many at once
};

// Of all threads of this process: the client's, and those in between. Says more than the clock
// where others want the processors too.
double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Figures measure(std::vector<Client>& all, int round_trips) {
  Figures figures;
  std::vector<double> times;
  for (int i = 0; i < round_trips / 10; ++i) all[0].round_trip();
  const double cpu_before = cpu_seconds();
  for (int i = 0; i < round_trips; ++i) {
    const Stopwatch watch;
    all[0].round_trip();
    times.push_back(watch.seconds() * 1e6);
  }
  figures.cpu_us = (cpu_seconds() - cpu_before) * 1e6 / round_trips;
  std::sort(times.begin(), times.end());
  figures.median_us = times[times.size() / 2];
  figures.p99_us = times[times.size() * 99 / 100];
  const Stopwatch busy;
  {
    std::vector<std::jthread> threads;
    for (Client& client : all)
      threads.emplace_back([&client, round_trips] {
        for (int i = 0; i < round_trips / clients; ++i) client.round_trip();
      });
  }
  figures.each_second = round_trips / clients * clients / busy.seconds();
  const Stopwatch piped;
  for (int i = 0; i < round_trips / pipeline; ++i) all[0].many(pipeline);
  figures.pipelined_each_second = round_trips / pipeline * pipeline / piped.seconds();
  return figures;
}

struct Way {
  std::string name;
  std::vector<Client> clients;
  std::vector<Figures> rounds;
  bool is_another_process = false;  // whose processor time is not seen
};

using Make = Client (*)(const std::string&, int);

Way way(std::string name, const std::string& url, Make make, const std::function<int()>& port) {
  Way made{std::move(name), {}, {}, false};
  for (int i = 0; i < clients; ++i) made.clients.push_back(make(url, port()));
  return made;
}

std::unique_ptr<GateProxy> started(const Upstream& upstream, ProxyListener& listener) {
  auto proxy = GateProxy::start(upstream, listener);
  CHECK(proxy.ok());
  return std::move(*proxy);
}

void print(const std::vector<Way>& ways) {
  const auto of = [](const Way& way, double Figures::*figure) {
    std::vector<double> values;
    for (const Figures& round : way.rounds) values.push_back(round.*figure);
    return median_of(values);
  };
  // In the same round, against the direct way.
  const auto ratio = [&](const Way& way, double Figures::*figure) {
    std::vector<double> values;
    for (std::size_t i = 0; i < way.rounds.size(); ++i)
      values.push_back(way.rounds[i].*figure / (ways[0].rounds[i].*figure));
    return median_of(values);
  };
  fmt::print("{:<34} {:>8} {:>6} {:>8} {:>8} {:>12} {:>6} {:>12} {:>6}\n", "", "p50 us", "x",
             "p99 us", "cpu us", fmt::format("{} clients/s", clients), "x",
             fmt::format("{} at once/s", pipeline), "x");
  for (const Way& way : ways)
    fmt::print(
        "{:<34} {:>8.1f} {:>6.2f} {:>8.1f} {:>8} {:>12.0f} {:>6.2f} {:>12.0f} {:>6.2f}\n", way.name,
        of(way, &Figures::median_us), ratio(way, &Figures::median_us), of(way, &Figures::p99_us),
        way.is_another_process ? "-" : fmt::format("{:.1f}", of(way, &Figures::cpu_us)),
        of(way, &Figures::each_second), ratio(way, &Figures::each_second),
        of(way, &Figures::pipelined_each_second), ratio(way, &Figures::pipelined_each_second));
  fmt::print("\n");
}

// `real` may be null.
void bench(Backend& backend, const std::string& store, Make make, const toxiproxy::Instance* real,
           int round_trips) {
  const std::string& url = backend.url();
  const Upstream upstream = *upstream_of(url);
  std::unique_ptr<Toxic> toxic;
  if (real) {
    auto started = Toxic::start(real->client(), store, upstream);
    if (started.ok())
      toxic = std::move(*started);
    else
      fmt::print("Toxiproxy is left out: {}\n", started.error().message);
  }
  Relay relay(upstream);
  Passing passing;
  Releasing releasing;
  Scheduling scheduling;
  const auto open = started(upstream, passing);
  const auto at_once = started(upstream, releasing);
  const auto by_another = started(upstream, scheduling);
  releasing.proxy = at_once.get();
  scheduling.proxy = by_another.get();
  int next = 0;
  const auto door = [&](GateProxy& proxy) { return [&] { return *proxy.add_client(next++); }; };
  std::vector<Way> ways;
  ways.push_back(way("direct", url, make, [&] { return upstream.port; }));
  ways.push_back(way("plain relay", url, make, [&] { return relay.port; }));
  if (toxic) {
    ways.push_back(way("Toxiproxy", url, make, [&] { return toxic->port; }));
    ways.back().is_another_process = true;
  }
  ways.push_back(way("proxy, passing", url, make, door(*open)));
  ways.push_back(way("proxy, released in the callback", url, make, door(*at_once)));
  ways.push_back(way("proxy, released by a thread", url, make, door(*by_another)));
  at_once->hold(true);
  by_another->hold(true);
  for (int round = 0; round < rounds; ++round)
    for (Way& one : ways) one.rounds.push_back(measure(one.clients, round_trips));
  fmt::print("{}\n", backend.description());
  print(ways);
  if (auto oracle = lock_oracle(url); oracle.ok()) {
    const std::vector<StoreSession> all{*open->session({0, 1})};
    const Stopwatch watch;
    for (int i = 0; i < round_trips / 4; ++i) CHECK((*oracle)->waiting(all, all).ok());
    fmt::print("who waits: {:.1f} us a question\n\n", watch.seconds() * 1e6 / (round_trips / 4));
  }
  ways.clear();
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  using namespace assay;
  const int round_trips = argc > 1 ? std::atoi(argv[1]) : 4000;
  std::string scratch = "/tmp/assay-bench-XXXXXX";
  CHECK(::mkdtemp(scratch.data()) != nullptr);
  fmt::print("{} rounds of {} round trips each; medians; x: against direct in the same round\n",
             rounds, round_trips);
  const auto real = real_toxiproxy();
  if (real.ok())
    fmt::print("{}\n\n", (*real)->description());
  else
    fmt::print("Toxiproxy is left out: {}\n\n", real.error().message);
  const std::pair<std::string, Make> stores[] = {{"redis", redis_client},
                                                 {"postgres", postgres_client}};
  for (const auto& [name, make] : stores) {
    BackendOptions options;
    options.kind = BackendKind::native;
    options.scratch = scratch;
    if (name == "redis") options.settings = {{"appendonly", "no"}};
    if (name == "postgres") options.settings = {{"fsync", "off"}};
    auto backend = start_backend(name, options);
    if (backend.ok())
      bench(**backend, name, make, real.ok() ? real->get() : nullptr, round_trips);
    else
      fmt::print("{}: {}\n", name, backend.error().message);
  }
  ::rmdir(scratch.c_str());
}
