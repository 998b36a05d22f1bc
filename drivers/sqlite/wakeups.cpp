// Wake-ups. Sessions of this process ring a bell. What other processes do is seen by looking every
// few milliseconds whether the file changed, which SQLite answers from memory that it shares with
// them, in a few microseconds. A watch on the log's file would tell sooner than there is anything
// to see: what makes a commit visible is written to that memory, and later.
#include "drivers/sqlite/detail/driver.h"
#include "drivers/sqlite/detail/schema.h"
#include "drivers/stored/listener.h"

namespace assay::lite {
namespace {

class FileLine final : public stored::Line {
 public:
  // All but the queues is borrowed.
  FileLine(const Shared& shared, const Location& location, std::int64_t ns)
      : shared_(shared), location_(location), ns_(ns) {}

  std::optional<Error> open() override {
    connection_.reset();
    auto opened = open_store(location_, nullptr);
    if (!opened.ok()) return opened.error();
    connection_ = std::move(opened).value();
    return looking([&] { seen_ = version(); });
  }

  int socket() const override { return -1; }
  Duration interval() const override { return Duration{5}; }

  // Whoever changed what: a queue in which nothing waits is left in peace.
  std::optional<Error> read(stored::Mailbox& mailbox) override {
    return looking([&] {
      const auto now = version();
      if (now == seen_) return;
      for (const std::string& queue : mailbox.queues())
        if (Query(*connection_, shared_.sql.has_waiting, ns_).with(":queue", queue).next())
          mailbox.put(queue, std::nullopt);
      seen_ = now;
    });
  }

 private:
  std::optional<std::int64_t> version() { return connection_->number("PRAGMA data_version"); }

  template <class Look>
  std::optional<Error> looking(Look look) {
    try {
      look();
      return std::nullopt;
    } catch (const Failure& failure) {
      return to_error(failure, shared_.where);
    }
  }

  const Shared& shared_;
  const Location& location_;
  const std::int64_t ns_;
  std::unique_ptr<Connection> connection_;
  std::optional<std::int64_t> seen_;
};

}  // namespace

Result<std::unique_ptr<WakeUps>> SqliteDriver::wakeups(const std::vector<std::string>& queues) {
  CHECK(ns_.has_value());
  std::unique_ptr<stored::Line> line;
  if (!location_.in_memory()) line = std::make_unique<FileLine>(shared_, location_, *ns_);
  return stored::Listener::make(queues, std::move(line), &shared_.bell);
}

}  // namespace assay::lite
