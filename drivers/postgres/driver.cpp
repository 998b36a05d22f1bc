#include "drivers/postgres/detail/driver.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "drivers/postgres/detail/schema.h"
#include "drivers/postgres/postgres.h"
#include "harness/contract/check.h"

namespace assay {
namespace pg {

static Result<std::string> url_from_environment() {
  if (const char* url = std::getenv("ASSAY_POSTGRES_URL"); url && *url) return std::string(url);
  return invalid(
      "the postgres driver needs a server: name one with --driver-url "
      "postgresql://USER@HOST:PORT/DATABASE, or in ASSAY_POSTGRES_URL");
}

Result<std::unique_ptr<Driver>> PostgresDriver::make(const DriverOptions& options,
                                                     const PostgresStatements& statements) {
  const auto url = options.url ? Result<std::string>(*options.url) : url_from_environment();
  if (!url.ok()) return url.error();
  auto location = Location::parse(*url);
  if (!location.ok()) return location.error();
  std::unique_ptr<PostgresDriver> driver(
      new PostgresDriver(options, statements, *std::move(location)));
  const Status connected =
      driver->on_server<Done>(Phase::connecting, []() -> Status { return Done{}; });
  if (!connected.ok()) return connected.error();
  if (!driver->own_.traits().survives_crash)
    driver->shared_.profile.durability = Durability::restart;
  return std::unique_ptr<Driver>(std::move(driver));
}

PostgresDriver::PostgresDriver(const DriverOptions& options, const PostgresStatements& statements,
                               Location location)
    : shared_{options.profile, statements, options.clock, std::move(location)},
      random_(Random(options.seed).fork("postgres")),
      own_(shared_.location, watchdog_) {
  shared_.profile.durability = Durability::crash;
  shared_.profile.capabilities.insert("shared_storage");
}

template <class T, class Body>
Result<T> PostgresDriver::on_server(Phase phase, Body body) {
  std::lock_guard lock(own_mutex_);
  Phase reached = Phase::connecting;
  try {
    own_.make_ready();
    reached = phase;
    return body();
  } catch (...) {
    return to_error(reached, shared_.location);
  }
}

static bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= 40 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

Status PostgresDriver::setup(const Setup& setup) {
  if (!is_name(setup.name_space))
    return invalid("a namespace's name is 1 to 40 of a-z, 0-9 and _, not '" + setup.name_space +
                   "'");
  CHECK(!place_);
  const std::string schema = schema_of(setup.name_space);
  comes_again_ = schema == torn_down_;
  if (setup.create == Create::anew && spare_ && spare_->schema == schema) {
    place_ = std::exchange(spare_, std::nullopt);
    return Done{};
  }
  drop_spare();
  const auto era = on_server<std::int64_t>(Phase::writing, [&]() -> Result<std::int64_t> {
    switch (setup.create) {
      case Create::never:
        return find_schema(own_, schema);
      case Create::if_absent:
        return find_or_make_schema(own_, schema, shared_.sql);
      case Create::anew:
        break;
    }
    return make_schema(own_, schema, shared_.sql);
  });
  if (!era.ok()) return era.error();
  place_ = Place{schema, *era};
  own_.use_schema(schema);
  return Done{};
}

Status PostgresDriver::teardown() {
  if (!place_) return Done{};
  torn_down_ = place_->schema;
  // Emptied rows are still there for the server until a vacuum.
  constexpr int at_most = 100;
  if (comes_again_ && !has_open_sessions() && ++emptied_ < at_most) {
    Status emptied = on_server<Done>(Phase::writing, [&]() -> Status {
      empty_schema(own_, place_->schema);
      return Done{};
    });
    if (emptied.ok()) {
      spare_ = std::exchange(place_, std::nullopt);
      return emptied;
    }
  }
  emptied_ = 0;
  Status dropped = on_server<Done>(Phase::writing, [&]() -> Status {
    drop_schema(own_, place_->schema);
    return Done{};
  });
  if (dropped.ok()) place_.reset();
  return dropped;
}

void PostgresDriver::drop_spare() {
  if (!spare_) return;
  const auto gone = on_server<Done>(Phase::writing, [&]() -> Status {
    drop_schema(own_, spare_->schema);
    return Done{};
  });
  static_cast<void>(gone);  // nobody asks for it
  spare_.reset();
}

bool PostgresDriver::has_open_sessions() {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(ways_, [](const auto& way) {
    return way.second.free.size() != way.second.connections.size();
  });
}

PostgresDriver::Way& PostgresDriver::way_of(const std::string& url, const Location& location) {
  return ways_.try_emplace(url, Way{location, {}, {}}).first->second;
}

Connection& PostgresDriver::take_connection(Way& way) {
  if (way.free.empty()) {
    way.connections.push_back(std::make_unique<Connection>(way.location, watchdog_));
    return *way.connections.back();
  }
  Connection& connection = *way.free.back();
  way.free.pop_back();
  return connection;
}

Result<std::unique_ptr<Session>> PostgresDriver::open(const SessionSpec& spec) {
  CHECK(place_.has_value());
  const auto location = spec.url ? Location::parse(*spec.url) : Result<Location>(shared_.location);
  if (!location.ok()) return location.error();
  const std::lock_guard lock(mutex_);
  Way& way = way_of(spec.url.value_or(""), *location);
  const auto give_back = [this, &way](Connection& connection) {
    const std::lock_guard again(mutex_);
    way.free.push_back(&connection);
  };
  return std::unique_ptr<Session>(std::make_unique<PostgresSession>(
      shared_, *place_, random_.fork("session/" + spec.name), take_connection(way), give_back));
}

// Requires: the statement answered the offset of the store's clock, or nothing: no namespace.
Result<Instant> PostgresDriver::store_time(const pqxx::result& offsets) const {
  if (offsets.empty())
    return Error{ErrorCode::unavailable, shared_.location.shown() + ": the namespace is gone",
                 LeaseReason::unstated, true};
  return instant_from_ms(offsets[0][0].as<std::int64_t>());
}

static const std::string offset_of_time =
    "coalesce($2::bigint, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) + offset_ms";

Result<Instant> PostgresDriver::now() {
  const bool is_virtual = shared_.profile.has("virtual_time");
  if (!place_) return shared_.clock.now();
  const auto clock = is_virtual ? std::optional(to_ms(shared_.clock.now())) : std::nullopt;
  return on_server<Instant>(Phase::reading, [&] {
    return store_time(
        own_.ask("SELECT " + offset_of_time + " FROM meta WHERE era = $1", place_->era, clock));
  });
}

Result<Instant> PostgresDriver::advance(Duration by) {
  if (!shared_.profile.has("virtual_time")) return Driver::advance(by);
  CHECK(place_.has_value());
  const auto clock = std::optional(to_ms(shared_.clock.now()));
  return on_server<Instant>(Phase::writing, [&] {
    return store_time(
        own_.ask("UPDATE meta SET offset_ms = offset_ms + $3::bigint WHERE era = $1 RETURNING " +
                     offset_of_time,
                 place_->era, clock, by.count()));
  });
}

}  // namespace pg

DriverInfo postgres() {
  return postgres_with("postgres", "a PostgreSQL server", postgres_statements());
}

DriverInfo postgres_with(std::string name, std::string summary, PostgresStatements statements) {
  DriverInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.backend = "postgres";
  // The server gives up a little before its client does.
  info.impatient = [](std::string url, Duration patience) {
    url += url.find('?') == url.npos ? '?' : '&';
    return fmt::format("{}connect_timeout={}&options=-c%20statement_timeout%3D{}", url,
                       std::max<std::int64_t>(2, (patience.count() + 999) / 1000),
                       patience.count() * 3 / 5);
  };
  info.make = [statements = std::move(statements)](const DriverOptions& options) {
    return pg::PostgresDriver::make(options, statements);
  };
  return info;
}

}  // namespace assay
