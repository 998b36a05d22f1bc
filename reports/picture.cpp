#include "reports/picture.h"

#include <nlohmann/json.hpp>

#include "reports/text.h"

namespace assay {

using Json = nlohmann::ordered_json;

std::string picture_text(const Lanes& lanes, std::size_t width) {
  constexpr std::size_t indent = 2;
  if (lanes.clients.size() < 2 || width <= indent) return "";
  std::string text;
  for (const std::string& line : draw(lanes, width - indent))
    text += (text.empty() ? "\n" : "") + std::string(indent, ' ') + text::printable(line) + "\n";
  return text;
}

std::string picture_json(const Lanes& lanes) {
  Json calls = Json::array(), leases = Json::array(), ticks = Json::array(), faults = Json::array();
  for (const Lanes::Call& call : lanes.calls)
    calls.push_back({{"op", call.op},
                     {"lane", call.lane},
                     {"begins", call.begins},
                     {"ends", call.ends ? Json(*call.ends) : Json()},
                     {"what", call.what},
                     {"answer", call.answer},
                     {"witness", call.is_witness}});
  for (const Lanes::Lease& lease : lanes.leases)
    leases.push_back({{"lane", lease.lane},
                      {"job", lease.job},
                      {"token", lease.token},
                      {"from", lease.from},
                      {"until", lease.until}});
  for (const Lanes::Tick& tick : lanes.ticks)
    ticks.push_back({{"row", tick.row}, {"now", tick.now}});
  for (const Lanes::Mark& fault : lanes.faults)
    faults.push_back({{"row", fault.row},
                      {"lane", fault.lane ? Json(*fault.lane) : Json()},
                      {"fault", fault.what}});
  const Json all{{"clients", lanes.clients},  {"rows", lanes.rows}, {"calls", calls},
                 {"leases", leases},          {"clock", ticks},     {"faults", faults},
                 {"left_out", lanes.left_out}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace assay
