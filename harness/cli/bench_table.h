// BenchTable: what was measured, and how people and programs read it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/bench/load.h"

namespace assay::cli {

struct Figure {
  double rate = 0;                // jobs a second
  std::optional<double> ceiling;  // the store's own, in the same run
};

struct BenchRow {
  Load load;
  Figure enqueue, settle;
};

struct ClaimCost {
  std::string with;  // "1,000 ready"
  double us = 0;
};

struct BenchTable {
  std::string driver;
  std::string store;    // for people; empty: none
  std::string ceiling;  // how it was measured, or why it was not
  bool relaxed = false;
  std::vector<BenchRow> rows = {};
  std::vector<ClaimCost> costs = {};
};

std::string shown(const BenchTable& table);
std::string bench_json(const std::vector<BenchTable>& tables);

// "1,234,567"
std::string grouped(double number);

}  // namespace assay::cli
