#include "harness/remote/remote_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "harness/contract/detail/operation_json.h"
#include "harness/contract/profile_json.h"
#include "harness/remote/detail/messages.h"

namespace assay {
namespace {

using namespace detail;

// Asks, and has `read` make something of the `ok` object. What makes no sense breaks the
// connection.
template <class Read>
auto ask(Connection& connection, std::uint64_t id, const std::string& line, Read read)
    -> Result<decltype(read(std::declval<Fields&>()))> {
  const Result<std::string> answer = connection.call(id, line);
  if (!answer) return answer.error();
  try {
    const nlohmann::json json = parsed(*answer);
    const auto outcome = outcome_of(json);
    if (!outcome) return outcome.error();
    Fields ok(**outcome, "ok", Reading::tolerantly);
    return read(ok);
  } catch (const Malformed& malformed) {
    return connection.broke(malformed.text(), *answer);
  }
}

Done nothing(Fields&) { return {}; }
Instant now_in(Fields& ok) { return ok.instant("now_ms"); }

// The process behind a connection, as that of one client.
class RemoteProcess final : public ClientProcess {
 public:
  explicit RemoteProcess(Connection& connection) : connection_(connection) {}
  int pid() const override { return connection_.process()->pid(); }
  std::optional<std::string> ending(double wait_seconds) override {
    return connection_.ending_of_process(wait_seconds);
  }

 private:
  Connection& connection_;
};

class RemoteSession final : public Session {
 public:
  // `abandoned` is called where the client dies, if it has the connection for itself.
  RemoteSession(Connection& connection, std::string name, std::function<void()> abandoned)
      : connection_(connection), name_(std::move(name)), abandoned_(std::move(abandoned)) {
    if (abandoned_ && connection_.process()) process_.emplace(connection_);
  }

  ClientProcess* process() override { return process_ ? &*process_ : nullptr; }
  void abandon() override {
    if (abandoned_) abandoned_();
  }

  Result<Enqueued> enqueue(Instant now, const Enqueue& r) override { return as<Enqueued>(now, r); }
  Result<Claims> reserve(Instant now, const Reserve& r) override { return as<Claims>(now, r); }
  Result<Extended> extend(Instant now, const Extend& r) override { return as<Extended>(now, r); }
  Status ack(Instant now, const Ack& r) override { return as<Done>(now, r); }
  Status retry(Instant now, const Retry& r) override { return as<Done>(now, r); }
  Status fail(Instant now, const Fail& r) override { return as<Done>(now, r); }
  Result<Nacked> nack(Instant now, const Nack& r) override { return as<Nacked>(now, r); }
  Result<Cancelled> cancel(Instant now, const Cancel& r) override { return as<Cancelled>(now, r); }
  Status pause(Instant now, const Pause& r) override { return as<Done>(now, r); }
  Status resume(Instant now, const Resume& r) override { return as<Done>(now, r); }
  Result<JobView> get(Instant now, const Get& r) override { return as<JobView>(now, r); }
  Result<JobPage> list(Instant now, const List& r) override { return as<JobPage>(now, r); }
  Result<DeadPage> dead(Instant now, const Dead& r) override { return as<DeadPage>(now, r); }
  Result<Requeued> requeue(Instant now, const Requeue& r) override { return as<Requeued>(now, r); }
  Status close() override { return as<Done>(now_, Close{}); }

 private:
  template <class T>
  Result<T> as(Instant now, const Request& request) {
    now_ = now;
    const std::uint64_t id = connection_.next_id();
    return ask(connection_, id, request_line(id, name_, now, request), [&](Fields& ok) {
      return std::get<T>(read_response(ok, request, read_whole_payload));
    });
  }

  Connection& connection_;
  std::string name_;
  std::function<void()> abandoned_;
  std::optional<RemoteProcess> process_;
  Instant now_ = run_epoch;  // of the last call: a close has none of its own
};

using Environment = std::vector<std::pair<std::string, std::string>>;

// One process or socket, and the namespace that it was told of.
struct Member {
  std::unique_ptr<Connection> connection;
  std::string name_space;
  std::optional<std::string> url;  // the way to the store that it was told of
  Environment environment = {};    // what its process was started with besides
  bool is_dead = false;            // with its client: nobody speaks to it any more
};

class RemoteDriver final : public Driver {
 public:
  explicit RemoteDriver(RemoteOptions options) : options_(std::move(options)) {}

  Status begin() {
    const auto claimed = add_member();
    if (!claimed) return claimed.error();
    profile_ = options_.profile.value_or(*claimed);
    return Done{};
  }

  const Profile& profile() const override { return profile_; }

  Status setup(const Setup& setup) override {
    name_space_ = setup.name_space;
    sessions_.clear();
    // One of the same name may have been there before.
    for (Member& member : members_) member.name_space.clear();
    if (setup.create == Create::anew) return tell_namespace(first(), true, options_.url);
    const Status attached = tell_namespace(first(), false, options_.url);
    const bool is_absent = !attached && attached.error().code == ErrorCode::not_found;
    if (setup.create == Create::never || !is_absent) return attached;
    // The protocol has no word for it: of two who come here at once one has what it did undone.
    return tell_namespace(first(), true, options_.url);
  }

  // By any process that knows the namespace: the one that made it may be gone.
  Status teardown() override {
    for (Member& member : members_)
      if (member.name_space == name_space_ && !member.is_dead && !member.connection->broken())
        return tear_down(*member.connection);
    if (!profile_.has("shared_storage")) return *connection().broken();
    if (const auto added = add_member(); !added) return added.error();
    if (const Status told = tell_namespace(members_.back(), false, options_.url); !told)
      return told;
    return tear_down(*members_.back().connection);
  }

  Result<std::unique_ptr<Session>> open(const SessionSpec& spec) override {
    const std::lock_guard lock(mutex_);
    const bool is_apart = spec.url || spec.may_die;
    auto member = member_for(sessions_.size(), is_apart, spec);
    if (!member) return member.error();
    std::string name = spec.name;
    for (int n = 2; std::ranges::find(sessions_, name) != sessions_.end(); ++n)
      name = fmt::format("{}-{}", spec.name, n);
    Connection& to = *(*member)->connection;
    const std::uint64_t id = to.next_id();
    const Status opened = ask(to, id, open_line(id, name, spec.role), nothing);
    if (!opened) return opened.error();
    sessions_.push_back(name);
    const bool is_alone = is_apart && profile_.has("shared_storage");
    std::function<void()> abandoned;
    if (is_alone)
      abandoned = [this, number = *member - members_.data()] {
        const std::lock_guard again(mutex_);
        members_[static_cast<std::size_t>(number)].is_dead = true;
      };
    return std::unique_ptr<Session>(
        std::make_unique<RemoteSession>(to, std::move(name), std::move(abandoned)));
  }

  Result<Instant> now() override {
    Connection& to = connection();
    const std::uint64_t id = to.next_id();
    return ask(to, id, now_line(id), now_in);
  }

  Result<Instant> advance(Duration by) override {
    Connection& to = connection();
    const std::uint64_t id = to.next_id();
    return ask(to, id, advance_line(id, by), now_in);
  }

  Status health() override {
    const std::lock_guard lock(mutex_);
    for (const Member& member : members_)
      if (const auto broken = member.connection->broken(); broken && !member.is_dead)
        return *broken;
    return Done{};
  }

  // All members but the first are of clients, or were of cases with more of them.
  Status reopen() override {
    const std::lock_guard lock(mutex_);
    if (!profile_.has("shared_storage")) return Done{};
    if (const auto added = add_member(); !added) return added.error();
    std::swap(members_.front(), members_.back());
    members_.pop_back();
    for (std::size_t i = 1; i < members_.size(); ++i) members_[i].is_dead = true;
    return name_space_.empty() ? Status(Done{}) : tell_namespace(first(), false, options_.url);
  }

  Status end() override {
    for (const Member& member : members_)
      if (const auto trouble =
              member.is_dead ? std::nullopt : member.connection->end_input(farewell_seconds))
        return Error{ErrorCode::internal, "driver protocol error: " + *trouble};
    return Done{};
  }

 private:
  static constexpr double farewell_seconds = 5;

  Member& first() { return members_.front(); }
  // Clients may begin anew meanwhile, and new members be added.
  Connection& connection() {
    const std::lock_guard lock(mutex_);
    return *first().connection;
  }

  // The profile of its hello comes back.
  Result<Profile> add_member(const Environment& environment = {}) {
    Connectable target = options_.to;
    if (auto* command = std::get_if<Command>(&target))
      command->environment.insert(command->environment.end(), environment.begin(),
                                  environment.end());
    else if (!environment.empty())
      return unsupported("its process is not ours to start");
    ConnectionOptions options = options_.connection;
    if (!options_.log_folder.empty())
      options.log_file = fmt::format("{}/driver-{}.log", options_.log_folder, members_.size() + 1);
    auto opened = Connection::open(target, std::move(options));
    if (!opened) return opened.error();
    Connection& to = **opened;
    const std::uint64_t id = to.next_id();
    auto claimed = ask(to, id, hello_line(id), [&](Fields& ok) {
      if (const auto version = ok.number("protocol"); version != protocol_version)
        ok.wrong("protocol",
                 fmt::format("is {}, and this program speaks {}", version, protocol_version));
      auto profile = profile_from_json(ok.any("profile").dump());
      if (!profile) ok.wrong("profile", profile.error().message);
      if (options_.claimed && *profile != *options_.claimed)
        ok.wrong("profile", "is another one than the driver claimed before");
      return *profile;
    });
    if (!claimed) return claimed;
    options_.claimed = *claimed;
    members_.push_back({std::move(*opened), "", {}, environment});
    return claimed;
  }

  Status tear_down(Connection& to) {
    const std::uint64_t id = to.next_id();
    return ask(to, id, teardown_line(id, name_space_), nothing);
  }

  Status tell_namespace(Member& member, bool create, const std::optional<std::string>& url) {
    Connection& to = *member.connection;
    const std::uint64_t id = to.next_id();
    const SetupFields setup{name_space_, url, create, options_.seed};
    const Status done = ask(to, id, setup_line(id, setup), nothing);
    if (done) member.name_space = name_space_;
    member.url = url;
    return done;
  }

  // A client with a way of its own to the store may be stopped on it, and one that may die takes
  // its process with it: whoever sets up and tells the time is another process then.
  Result<Member*> member_for(std::size_t session, bool is_apart, const SessionSpec& spec) {
    if (!profile_.has("shared_storage")) return &first();
    const std::size_t number = is_apart ? session + 1 : session;
    while (members_.size() <= number)
      if (const auto added = add_member(); !added) return added.error();
    if (members_[number].is_dead || members_[number].environment != spec.environment) {
      if (const auto added = add_member(spec.environment); !added) return added.error();
      std::swap(members_[number], members_.back());
      members_.pop_back();
    }
    Member& member = members_[number];
    const auto& url = spec.url ? spec.url : options_.url;
    if (member.name_space != name_space_ || member.url != url)
      if (const Status told = tell_namespace(member, false, url); !told) return told.error();
    return &member;
  }

  RemoteOptions options_;
  Profile profile_;
  std::mutex mutex_;  // of the members, while clients move, die and begin anew
  std::vector<Member> members_;
  std::string name_space_;
  std::vector<std::string> sessions_;  // names taken in this namespace
};

}  // namespace

Result<std::unique_ptr<Driver>> remote_driver(RemoteOptions options) {
  auto driver = std::make_unique<RemoteDriver>(std::move(options));
  if (const Status begun = driver->begin(); !begun) return begun.error();
  return std::unique_ptr<Driver>(std::move(driver));
}

}  // namespace assay
