#include "faults/store/detail/openers.h"

#include "faults/worker/detail/processes.h"

namespace assay::faults {
namespace {

// Whoever came back in the middle would have the store open as it was.
class Shut {
 public:
  explicit Shut(Surroundings& around) : around_(around) { around_.let_return(false); }
  ~Shut() { around_.let_return(true); }
  Shut(const Shut&) = delete;
  Shut& operator=(const Shut&) = delete;

 private:
  Surroundings& around_;
};

}  // namespace

Result<std::string> end_openers(Surroundings& around, int signal,
                                const std::function<Status()>& meanwhile) {
  const Shut shut(around);
  for (int client = 0; client < around.clients(); ++client) {
    const auto process = around.process_of(client);
    if (!process.ok()) return process.error();
    if (!*process)
      return unsupported(
          "the store has no server that we started, and its clients no processes of their own: "
          "there is nothing to be ended");
  }
  std::string how;
  for (int client = 0; client < around.clients(); ++client) {
    auto ended = end_process(around, client, signal);
    if (!ended.ok()) return ended.error();
    how = std::move(*ended);
  }
  if (const Status done = meanwhile(); !done.ok()) return done.error();
  if (const Status back = around.store_is_back(); !back.ok()) return back.error();
  return how;
}

}  // namespace assay::faults
