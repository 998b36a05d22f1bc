// StressLoad: the jobs of a stress run, drawn from its seed, and the handlers that work them off.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/client.h"
#include "engine/handler.h"

namespace assay::cli::queue {

struct StressOptions {
  std::uint64_t seed = 0;
  std::int64_t jobs = 1000;
  int workers = 2;
  int concurrency = 4;  // of each
  // Of a hundred jobs, so many
  int flaky = 10;     // fail every other time,
  int failing = 2;    // always fail,
  int children = 10;  // make one to three more,
  int delayed = 10;   // may not run at once
  int kills = 0;      // so often a worker is gone, and another one comes
  Duration work{5};   // on the average
  Duration lease{5'000};
};

class StressLoad {
 public:
  explicit StressLoad(const StressOptions& options) : options_(options) {}

  static const std::vector<std::string>& queues();

  // The same for the same seed and number.
  engine::Submission job(std::int64_t number) const;

  // The client is borrowed for as long as they run.
  std::map<std::string, engine::HandlerSpec> handlers(engine::Client& client) const;

 private:
  engine::Handler working(engine::Handler then) const;

  StressOptions options_;
};

}  // namespace assay::cli::queue
