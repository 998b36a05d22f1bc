// engine-worker: for ourselves alone: a worker of an engine that is certified, as a process.
#include "harness/run/engine_worker.h"

#include <unistd.h>

#include <iostream>

#include "harness/cli/catalogue.h"
#include "harness/cli/commands.h"
#include "harness/cli/usage.h"

namespace assay::cli {

int engine_worker_command() {
  std::string line;
  // By the byte: what comes behind the order is for whoever works.
  for (char c = 0; ::read(STDIN_FILENO, &c, 1) == 1 && c != '\n';) line += c;
  const auto order = worker_order_from(line);
  if (!order) return trouble(order.error().message);
  const auto driver = driver_named(order->driver);
  if (!driver) return trouble(driver.error().message);
  const auto engine = engine_named(order->engine);
  if (!engine) return trouble(engine.error().message);
  const Status worked = work(*order, *driver, **engine, STDIN_FILENO, STDOUT_FILENO);
  return worked ? 0 : trouble(worked.error().message);
}

}  // namespace assay::cli
