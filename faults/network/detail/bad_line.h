// BadLine: what the faults of the network share: toxics on the lines of one client or of all, and
// the proof that something went through them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/fault/fault.h"
#include "harness/proxy/lines.h"

namespace assay::faults {

class BadLine final : public Fault {
 public:
  // How often it struck, by what a line's counters have grown; 0: never.
  using Struck = std::uint64_t (*)(const proxy::ProxyCounters& grown);

  // `told` is what the proof says it did: "what was sent was swallowed". Without toxics the lines
  // are closed, and nobody is let in. Where it `forsakes`, the store's sides of the connections are
  // cut off, too.
  BadLine(std::vector<proxy::ToxicSpec> toxics, Struck struck, std::string told, int client,
          Surroundings& around, bool forsakes = false)
      : toxics_(std::move(toxics)),
        struck_(struck),
        told_(std::move(told)),
        client_(client),
        around_(around),
        forsakes_(forsakes) {}
  ~BadLine() override { static_cast<void>(end()); }

  Status begin() override;
  Result<std::string> proof() override;
  Status end() override;

 private:
  Status spoil(const std::string& line);
  std::uint64_t got_through(const proxy::ProxyCounters& grown) const;
  std::string name_for(const proxy::ToxicSpec& toxic) const;

  const std::vector<proxy::ToxicSpec> toxics_;
  const Struck struck_;
  const std::string told_;
  const int client_;
  Surroundings& around_;
  const bool forsakes_;
  proxy::Lines* lines_ = nullptr;
  std::map<std::string, proxy::ProxyCounters> bad_;  // the lines, and what they had counted before
};

// The same on the way to the store and on the way back.
std::vector<proxy::ToxicSpec> both_ways(const std::string& type,
                                        const proxy::Attributes& attributes);

// For a FaultInfo of the family: its name, summary, numbers and what it makes.
FaultInfo bad_line(std::string_view name, std::string_view summary,
                   std::vector<std::pair<std::string_view, std::int64_t>> with,
                   decltype(FaultInfo::make) make);

}  // namespace assay::faults
