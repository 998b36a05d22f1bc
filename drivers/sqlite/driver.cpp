#include "drivers/sqlite/detail/driver.h"

#include <algorithm>

#include "drivers/sqlite/detail/schema.h"
#include "drivers/sqlite/sqlite.h"

namespace assay {
namespace lite {

Result<std::unique_ptr<Driver>> SqliteDriver::make(const DriverOptions& options,
                                                   const SqliteStatements& statements) {
  auto location = options.url ? parse_location(*options.url) : private_location(options.scratch);
  if (!location.ok()) return location.error();
  // The driver's own: of whoever asks for its time, and in memory of every session, too.
  auto connection = open_store(*location, options.gates, Connection::Users::many);
  if (!connection.ok()) return connection.error();
  return std::unique_ptr<Driver>(
      new SqliteDriver(options, statements, *std::move(location), std::move(connection).value()));
}

SqliteDriver::SqliteDriver(const DriverOptions& options, const SqliteStatements& statements,
                           Location location, std::unique_ptr<Connection> own)
    : location_(std::move(location)),
      private_(!options.url),
      gates_(options.gates),
      shared_{options.profile, statements, options.clock, location_.shown()},
      random_(Random(options.seed).fork("sqlite")),
      own_(std::move(own)) {
  shared_.profile.durability = location_.durability();
  if (!location_.in_memory()) shared_.profile.capabilities.insert("shared_storage");
}

SqliteDriver::~SqliteDriver() {
  connections_.clear();
  own_.reset();
  if (private_) remove_store(location_);
}

template <class T, class Body>
Result<T> SqliteDriver::on_store(Transaction::Kind kind, Body body) {
  std::lock_guard lock(own_->mutex());
  try {
    Transaction transaction(*own_, kind);
    Result<T> result = body();
    if (result.ok()) transaction.commit();
    return result;
  } catch (const Failure& failure) {
    return to_error(failure, shared_.where);
  }
}

static bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= 40 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void SqliteDriver::drop(std::int64_t ns) {
  for (const std::string* sql :
       {&shared_.sql.drop_jobs, &shared_.sql.drop_paused, &shared_.sql.drop_records,
        &shared_.sql.drop_all_marks, &shared_.sql.drop_namespace})
    Query(*own_, *sql, ns).execute();
}

Status SqliteDriver::setup(const Setup& setup) {
  if (!is_name(setup.name_space))
    return invalid("a namespace's name is 1 to 40 of a-z, 0-9 and _, not '" + setup.name_space +
                   "'");
  CHECK(!ns_);
  const auto ns = on_store<std::int64_t>(Transaction::Kind::write, [&]() -> Result<std::int64_t> {
    std::optional<std::int64_t> found;
    {
      Query query(*own_, shared_.sql.find_namespace);
      if (query.with_text(":name", setup.name_space).next()) found = query.number(0);
    }
    if (setup.create == Create::never && !found)
      return not_found(shared_.where + " has no namespace '" + setup.name_space +
                       "': the process that creates it must set it up first");
    if (found && setup.create != Create::anew) return *found;
    if (found) drop(*found);
    // A number is never used twice, so that whoever is attached to the old one finds nothing.
    Query query(*own_, shared_.sql.make_namespace);
    CHECK(query.with_text(":name", setup.name_space).next());
    return query.number(0);
  });
  if (!ns.ok()) return ns.error();
  ns_ = *ns;
  return Done{};
}

Status SqliteDriver::teardown() {
  if (!ns_) return Done{};
  Status dropped = on_store<Done>(Transaction::Kind::write, [&]() -> Status {
    drop(*ns_);
    return Done{};
  });
  if (dropped.ok()) ns_.reset();
  return dropped;
}

Result<Connection*> SqliteDriver::take_connection() {
  if (location_.in_memory()) return own_.get();
  {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      Connection* connection = free_.back();
      free_.pop_back();
      return connection;
    }
  }
  auto opened = open_store(location_, gates_);
  if (!opened.ok()) return opened.error();
  std::lock_guard lock(mutex_);
  connections_.push_back(std::move(opened).value());
  return connections_.back().get();
}

void SqliteDriver::give_back(Connection& connection) {
  std::lock_guard lock(mutex_);
  if (&connection != own_.get()) free_.push_back(&connection);
}

Result<std::unique_ptr<Session>> SqliteDriver::open(const SessionSpec& spec) {
  CHECK(ns_.has_value());
  const auto connection = take_connection();
  if (!connection.ok()) return connection.error();
  return std::unique_ptr<Session>(
      std::make_unique<SqliteSession>(shared_, *ns_, random_.fork("session/" + spec.name),
                                      **connection, [this](Connection& back) { give_back(back); }));
}

Result<Instant> SqliteDriver::now() {
  return on_store<Instant>(Transaction::Kind::read, [&]() -> Result<Instant> {
    std::int64_t offset = 0;
    if (ns_) {
      Query query(*own_, shared_.sql.offset, *ns_);
      if (query.next()) offset = query.number(0);
    }
    return instant_from_ms(plus(to_ms(shared_.clock.now()), Duration{offset}));
  });
}

Result<Instant> SqliteDriver::advance(Duration by) {
  if (!shared_.profile.has("virtual_time")) return Driver::advance(by);
  CHECK(ns_.has_value());
  return on_store<Instant>(Transaction::Kind::write, [&]() -> Result<Instant> {
    Query query(*own_, shared_.sql.advance, *ns_);
    if (!query.with(":by", by.count()).next())
      return Error{ErrorCode::unavailable, shared_.where + ": the namespace is gone",
                   LeaseReason::unstated, true};
    return instant_from_ms(plus(to_ms(shared_.clock.now()), Duration{query.number(0)}));
  });
}

}  // namespace lite

DriverInfo sqlite() { return sqlite_with("sqlite", "a SQLite file", sqlite_statements()); }

DriverInfo sqlite_with(std::string name, std::string summary, SqliteStatements statements) {
  DriverInfo info;
  info.name = std::move(name);
  info.summary = std::move(summary);
  info.private_store = [](const std::string& scratch) -> Result<std::string> {
    const auto location = lite::private_location(scratch);
    if (!location.ok()) return location.error();
    return location->path;
  };
  info.make = [statements = std::move(statements)](const DriverOptions& options) {
    return lite::SqliteDriver::make(options, statements);
  };
  info.interleaving = Interleaving::gates;
  return info;
}

}  // namespace assay
