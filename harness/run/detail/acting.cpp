#include "harness/run/detail/acting.h"

#include <atomic>
#include <stdexcept>

namespace assay::detail {

ActResult end_of(const Act& what, const std::function<void(std::string)>& ends_as) {
  switch (what.end) {
    case Act::End::ok:
      ends_as("ok");
      return {};
    case Act::End::fail:
      ends_as("failed");
      return {false, "no luck"};
    case Act::End::unrecoverable:
      ends_as("unrecoverable");
      return {false, "no hope", true};
    case Act::End::throws:
      ends_as("threw");
      throw std::runtime_error("thrown");
    case Act::End::odd:
      ends_as("threw");
      throw 42;
  }
  return {};
}

ActResult act_out(const Act& what, const Errand& errand, const std::stop_token& killed,
                  const std::function<void(EngineEvent::Kind, std::string)>& say) {
  const auto ends_as = [&](std::string how) {
    say(EngineEvent::Kind::handler_ended, std::move(how));
  };
  say(EngineEvent::Kind::handler_began, "");
  std::atomic<bool> is_told = false;  // in time of the machine, by another thread
  const Instant until = errand.clock.now() + what.length;
  {
    std::stop_source either;
    const std::stop_callback told(errand.stop, [&] {
      is_told = true;
      say(EngineEvent::Kind::handler_told_to_stop, errand.why());
      either.request_stop();
    });
    const std::stop_callback dies(killed, [&] { either.request_stop(); });
    errand.clock.sleep_until(until, either.get_token());
  }
  if (is_told && what.deaf > Duration{0})
    errand.clock.sleep_until(errand.clock.now() + what.deaf, killed);
  if (killed.stop_requested()) return {false, "its worker is dead"};
  if (!is_told || errand.clock.now() >= until + what.deaf) return end_of(what, ends_as);
  ends_as("stopped");
  return {false, "told to stop"};
}

}  // namespace assay::detail
