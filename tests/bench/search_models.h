// A register with compare-and-set, and the values of a key-value store: what the published
// histories of others are about, for the search to be timed on.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "harness/contract/check.h"
#include "harness/search/search.h"

namespace assay::search {

struct EtcdRegister {
  enum class Call { read, write, compare_and_set };
  struct Operation {
    Call call;
    int value = nil;  // read, or to be written
    int expected = nil;
    bool ok = true;
    bool unknown = true;  // until it returns
  };
  using State = int;
  static constexpr int nil = -1;

  State initial() const { return nil; }
  std::size_t hash(State state) const { return static_cast<std::size_t>(state); }

  std::optional<State> step(State state, const Operation& op) const {
    if (op.call == Call::write) return op.value;
    if (op.call == Call::read) return op.value == state ? std::optional(state) : std::nullopt;
    const bool found = op.expected == state;
    if (!op.unknown && found != op.ok) return std::nullopt;
    return found ? op.value : state;
  }

  bool only_reads(const Operation& op) const {
    return op.call == Call::read || (op.call == Call::compare_and_set && !op.unknown && !op.ok);
  }
  bool alike(const Operation& a, const Operation& b) const {
    return a.call == b.call && a.value == b.value && a.expected == b.expected;
  }
};

// One key's value.
struct KeyValue {
  enum class Call { get, put, append };
  struct Operation {
    Call call;
    std::string value;
  };
  using State = std::string;

  State initial() const { return ""; }
  std::size_t hash(const State& state) const { return std::hash<std::string>()(state); }

  std::optional<State> step(const State& state, const Operation& op) const {
    if (op.call == Call::put) return op.value;
    if (op.call == Call::append) return state + op.value;
    return state == op.value ? std::optional(state) : std::nullopt;
  }

  bool only_reads(const Operation& op) const { return op.call == Call::get; }
  bool alike(const Operation& a, const Operation& b) const {
    return a.call == b.call && a.value == b.value;
  }
};

// Jepsen's log of etcd: "INFO jepsen.util - 4 :invoke :cas [1 2]". What has no :ok and no :fail
// may have happened at any time since, or not. Lines are instants.
inline std::vector<Timed<EtcdRegister::Operation>> read_jepsen(const std::filesystem::path& path) {
  using Call = EtcdRegister::Call;
  std::vector<Timed<EtcdRegister::Operation>> history;
  std::map<int, std::size_t> open;
  std::ifstream file(path);
  std::string line;
  for (std::int64_t now = 0; std::getline(file, line); ++now) {
    std::istringstream words(line);
    std::string word, type, call, value, second;
    int process = 0;
    words >> word >> word >> word >> process >> type >> call >> value >> second;
    if (!words.eof() && words.fail()) continue;
    const auto number = [](const std::string& text) {
      const auto digits = text.find_first_of("0123456789");
      return digits == text.npos ? EtcdRegister::nil : std::stoi(text.substr(digits));
    };
    if (type == ":invoke") {
      EtcdRegister::Operation op{call == ":read"    ? Call::read
                                 : call == ":write" ? Call::write
                                                    : Call::compare_and_set};
      op.value = op.call == Call::compare_and_set ? number(second) : number(value);
      if (op.call == Call::compare_and_set) op.expected = number(value);
      open[process] = history.size();
      history.push_back({op, now, 0, true});
    } else if (type == ":ok" || (type == ":fail" && value != ":timed-out")) {
      auto& op = history.at(open.at(process));
      if (op.what.call == Call::read) op.what.value = number(value);
      op.what.ok = type == ":ok";
      op.what.unknown = op.unknown = false;
      op.end = now;
    }
  }
  return history;
}

// {:process 9, :type :invoke, :f :append, :key "0", :value "x 9 0 y"}, cut by key.
inline std::map<std::string, std::vector<Timed<KeyValue::Operation>>> read_key_value(
    const std::filesystem::path& path) {
  std::map<std::string, std::vector<Timed<KeyValue::Operation>>> histories;
  std::map<std::string, std::pair<std::string, std::size_t>> open;
  std::ifstream file(path);
  std::string line;
  for (std::int64_t now = 0; std::getline(file, line); ++now) {
    const auto field = [&](const std::string& name) -> std::string {
      const auto at = line.find(name + ' ');
      if (at == line.npos) return "";
      const auto from = at + name.size() + 1;
      if (line[from] != '"') return line.substr(from, line.find_first_of(",}", from) - from);
      return line.substr(from + 1, line.find('"', from + 1) - from - 1);
    };
    const std::string process = field(":process");
    if (process.empty()) continue;
    if (field(":type") == ":invoke") {
      const std::string call = field(":f");
      KeyValue::Operation op{call == ":get"   ? KeyValue::Call::get
                             : call == ":put" ? KeyValue::Call::put
                                              : KeyValue::Call::append,
                             field(":value")};
      auto& history = histories[field(":key")];
      open[process] = {field(":key"), history.size()};
      history.push_back({op, now, 0, true});
    } else if (field(":type") == ":ok") {
      const auto& [key, index] = open.at(process);
      auto& op = histories.at(key).at(index);
      if (op.what.call == KeyValue::Call::get) op.what.value = field(":value");
      op.unknown = false;
      op.end = now;
    }
  }
  return histories;
}

}  // namespace assay::search
