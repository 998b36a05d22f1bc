#include <fmt/format.h>

#include <iostream>
#include <semaphore>

#include "faults/toxiproxy/server.h"
#include "harness/cli/commands.h"
#include "harness/cli/interrupts.h"
#include "harness/cli/usage.h"
#include "harness/contract/random.h"
#include "harness/remote/connectable.h"

namespace assay::cli {

int proxy_command(const ProxyArguments& arguments) {
  const Result<Address> address = address_from(arguments.listen);
  if (!address) return wrong_usage("--listen: " + address.error().message);
  std::uint64_t seed = fresh_seed();
  if (arguments.seed) {
    const Result<std::uint64_t> given = number_from(*arguments.seed, "--seed", {});
    if (!given) return wrong_usage(given.error().message);
    seed = *given;
  }
  block_interrupts();
  const auto server = toxiproxy::Server::start({address->host, address->port, seed});
  if (!server) return trouble(server.error().message);
  std::binary_semaphore ended(0);
  const Interrupts interrupts([&] { ended.release(); }, [] {});
  std::cout << fmt::format("Toxiproxy's API is at {} (seed {})\n", (*server)->url(), seed)
            << std::flush;
  ended.acquire();
  return 0;
}

}  // namespace assay::cli
