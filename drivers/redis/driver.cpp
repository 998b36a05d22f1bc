#include "drivers/redis/detail/driver.h"

#include <algorithm>
#include <cstdlib>

#include "drivers/redis/detail/server.h"
#include "drivers/redis/redis.h"
#include "harness/contract/check.h"

namespace assay {
namespace rds {

static Result<Location> location_of(const std::optional<std::string>& url) {
  if (url) return parse_location(*url);
  const char* const named = std::getenv("ASSAY_REDIS_URL");
  if (named && *named) return parse_location(named);
  return invalid(
      "the redis driver needs a server: name one with --driver-url redis://host:port or in "
      "ASSAY_REDIS_URL");
}

RedisDriver::RedisDriver(const DriverOptions& options, const Location& location, const Alter& alter)
    : location_(location),
      clock_(options.clock),
      shared_{options.profile, Scripts(options.profile, alter), location.shown()},
      random_(Random(options.seed).fork("redis")),
      own_(location) {
  shared_.profile.capabilities.insert("shared_storage");
}

Result<std::unique_ptr<Driver>> RedisDriver::make(const DriverOptions& options,
                                                  const Alter& alter) {
  const auto location = location_of(options.url);
  if (!location.ok()) return location.error();
  std::unique_ptr<RedisDriver> driver(new RedisDriver(options, *location, alter));
  Shared& shared = driver->shared_;
  const Status ready = driver->on_server<Done>([&]() -> Status {
    if (Status fit = check_server(driver->own_, shared.where); !fit.ok()) return fit;
    shared.profile.durability = durability_of(driver->own_);
    shared.scripts.load(driver->own_);
    return Done{};
  });
  if (!ready.ok()) return ready.error();
  return std::unique_ptr<Driver>(std::move(driver));
}

template <class T, class Body>
Result<T> RedisDriver::on_server(Body body) {
  std::lock_guard lock(own_mutex_);
  try {
    return body();
  } catch (const Failure& failure) {
    return to_error(failure, shared_.where);
  }
}

static bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= 40 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Why the script did not create the namespace, or attach to it.
static Error refusal(const Value& reply, const std::string& name, const std::string& where) {
  const std::string_view word = reply[1].text();
  if (word == "missing")
    return not_found(where + " has no namespace '" + name +
                     "': the process that creates it must set it up first");
  if (word == "layout")
    return invalid(where + " has the namespace '" + name + "' in the layout '" +
                   std::string(reply[2].text()) + "', this program knows '" + std::string(layout) +
                   "': it was left as it is; use the program that made it, or another database");
  return invalid(where + " has a key assay:{" + name + "} that is no namespace of Assay: it was " +
                 "left as it is; use another database");
}

void RedisDriver::drop(const Namespace& name_space) {
  Words words = shared_.scripts.begin(Op::drop, name_space.key);
  words.add(name_space.generation);
  while (shared_.scripts.run(Op::drop, own_, words)[1].number() == 1) {
  }
}

static std::string_view word_for(Create create) {
  return create == Create::anew ? "create" : create == Create::never ? "attach" : "ensure";
}

Status RedisDriver::setup(const Setup& setup) {
  if (!is_name(setup.name_space))
    return invalid("a namespace's name is 1 to 40 of a-z, 0-9 and _, not '" + setup.name_space +
                   "'");
  CHECK(!namespace_);
  return on_server<Done>([&]() -> Status {
    const std::string key = "assay:{" + setup.name_space + "}";
    Words words = shared_.scripts.begin(Op::create, key);
    words.add(to_ms(clock_.now())).add(word_for(setup.create));
    // Others may be at it too.
    constexpr int tries = 10;
    for (int tried = 1;; ++tried) {
      const Reply reply = shared_.scripts.run(Op::create, own_, words);
      if (reply[0].number() == 1) {
        namespace_ = {key, std::string(reply[1].text())};
        return Done{};
      }
      const bool is_going = reply[1].text() == "going";
      if (reply[1].text() != "exists" && !is_going)
        return refusal(reply.value(), setup.name_space, shared_.where);
      if (tried == tries)
        return Error{ErrorCode::unavailable,
                     shared_.where + ": somebody else sets up the namespace '" + setup.name_space +
                         "' again and again",
                     LeaseReason::unstated, true};
      // One that goes is helped to; one that somebody makes meanwhile has a generation, and stays.
      drop({key, is_going ? "none" : ""});
    }
  });
}

Status RedisDriver::teardown() {
  if (!namespace_) return Done{};
  return on_server<Done>([&]() -> Status {
    drop(*namespace_);
    namespace_.reset();
    return Done{};
  });
}

Result<std::unique_ptr<Session>> RedisDriver::open(const SessionSpec& spec) {
  CHECK(namespace_.has_value());
  const auto location = spec.url ? parse_location(*spec.url) : Result<Location>(location_);
  if (!location.ok()) return location.error();
  const std::lock_guard lock(mutex_);
  Way& way = ways_[spec.url.value_or("")];
  if (way.free.empty()) {
    way.connections.push_back(std::make_unique<Connection>(*location));
    way.free.push_back(way.connections.back().get());
  }
  Connection& connection = *way.free.back();
  way.free.pop_back();
  const auto give_back = [this, &way](Connection& back) {
    const std::lock_guard again(mutex_);
    way.free.push_back(&back);
  };
  return std::unique_ptr<Session>(std::make_unique<RedisSession>(
      shared_, *namespace_, random_.fork("session/" + spec.name), connection, give_back));
}

// The namespace's own clock, where it is moved by us; else the server's.
Result<Instant> RedisDriver::now() {
  if (!namespace_) return clock_.now();
  return on_server<Instant>([&]() -> Result<Instant> {
    if (shared_.profile.has("virtual_time")) {
      const Reply reply = own_.run({"HGET", namespace_->key, "clock"});
      if (!reply.value().is_nil()) return instant_from_ms(reply.value().number());
      return Error{ErrorCode::unavailable, shared_.where + ": the namespace is gone",
                   LeaseReason::unstated, true};
    }
    const Reply time = own_.run({"TIME"});
    return instant_from_ms(time[0].number() * 1000 + time[1].number() / 1000);
  });
}

Result<Instant> RedisDriver::advance(Duration by) {
  if (!shared_.profile.has("virtual_time")) return Driver::advance(by);
  CHECK(namespace_.has_value());
  return on_server<Instant>([&]() -> Result<Instant> {
    Words words = shared_.scripts.begin(Op::advance, namespace_->key);
    words.add(namespace_->generation).add("0").add("").add(by.count());
    const Reply reply = shared_.scripts.run(Op::advance, own_, words);
    if (reply[0].number() == 1) return instant_from_ms(reply[1].number());
    return Error{ErrorCode::unavailable, shared_.where + ": the namespace is gone",
                 LeaseReason::unstated, true};
  });
}

}  // namespace rds

DriverInfo redis() {
  DriverInfo info;
  info.name = "redis";
  info.summary = "a Redis server";
  info.backend = "redis";
  info.impatient = [](std::string url, Duration patience) {
    url += url.find('?') == url.npos ? '?' : '&';
    return fmt::format("{}connect_timeout_ms={}&timeout_ms={}", url, patience.count(),
                       patience.count());
  };
  info.make = [](const DriverOptions& options) { return rds::RedisDriver::make(options); };
  return info;
}

}  // namespace assay
