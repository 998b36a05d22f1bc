#include "harness/cli/bench_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/bench/peers.h"
#include "harness/cli/table.h"

namespace assay::cli {

std::string grouped(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

static std::string right(const std::string& text, std::size_t width) {
  return fmt::format("{:>{}}", text, width);
}

static void add(std::vector<std::string>& cells, const Figure& figure) {
  cells.push_back(right(grouped(figure.rate), 9));
  cells.push_back(right(figure.ceiling ? grouped(*figure.ceiling) : "-", 9));
  cells.push_back(figure.ceiling ? fmt::format("{:.2f}", figure.rate / *figure.ceiling) : "-");
}

// How many times the dearest claim costs the cheapest.
static double spread(const std::vector<ClaimCost>& costs) {
  const auto [least, most] = std::ranges::minmax(costs, {}, &ClaimCost::us);
  return most.us / least.us;
}

static std::string peers_of(const std::string& driver) {
  std::vector<std::vector<std::string>> rows;
  for (const Peer& peer : peers())
    if (peer.backend == driver)
      rows.push_back({std::string(peer.name), std::to_string(peer.clients),
                      right(peer.enqueue ? grouped(peer.enqueue) : "-", 7),
                      right(grouped(peer.settle), 7)});
  if (rows.empty()) return "";
  return fmt::format("\nOthers, once measured on two cores, one job a call ({})\n",
                     driver == "redis" ? "no append-only file" : "durable") +
         aligned({"queue", "clients", "enqueue", "reserve + ack"}, rows);
}

std::string shown(const BenchTable& table) {
  std::string text = table.driver;
  if (!table.store.empty()) text += ": " + table.store;
  if (table.relaxed) text += ", may lose what it acknowledged";
  if (!table.ceiling.empty()) text += "\nceiling: " + table.ceiling;
  std::vector<std::vector<std::string>> rows;
  for (const BenchRow& row : table.rows) {
    std::vector<std::string> cells{std::to_string(row.load.clients),
                                   std::to_string(row.load.batch)};
    add(cells, row.enqueue);
    add(cells, row.settle);
    rows.push_back(std::move(cells));
  }
  text += "\n\n" + aligned({"clients", "batch", "enqueue/s", "  ceiling", "part", "settled/s",
                            "  ceiling", "part"},
                           rows);
  if (!table.costs.empty()) {
    text += "\nOne claim and its ack, one client:\n";
    for (const ClaimCost& cost : table.costs)
      text += fmt::format("  {:<28} {:>8.0f} us\n", "with " + cost.with, cost.us);
    text += fmt::format("  the dearest is {:.2f} times the cheapest\n", spread(table.costs));
  }
  return text + peers_of(table.driver) + "\n";
}

static nlohmann::ordered_json json_of(const Figure& figure) {
  nlohmann::ordered_json json{{"jobs_per_second", figure.rate}};
  if (figure.ceiling) json["ceiling"] = *figure.ceiling;
  return json;
}

std::string bench_json(const std::vector<BenchTable>& tables) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const BenchTable& table : tables) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array(), costs = rows;
    for (const BenchRow& row : table.rows)
      rows.push_back({{"clients", row.load.clients},
                      {"batch", row.load.batch},
                      {"enqueue", json_of(row.enqueue)},
                      {"settle", json_of(row.settle)}});
    for (const ClaimCost& cost : table.costs)
      costs.push_back({{"with", cost.with}, {"microseconds", cost.us}});
    all.push_back({{"driver", table.driver},
                   {"store", table.store},
                   {"ceiling", table.ceiling},
                   {"relaxed", table.relaxed},
                   {"rows", rows},
                   {"claim_costs", costs}});
  }
  return all.dump(2) + "\n";
}

}  // namespace assay::cli
