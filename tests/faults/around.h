// Around: what a fault may lay its hands on, in the hand of a test: clients with real processes, or
// none, with lines through a real proxy, and a store.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "faults/all.h"
#include "harness/contract/check.h"
#include "harness/proxy/shaping_proxy.h"
#include "harness/remote/process.h"

namespace assay::faults_test {

class TestProcess final : public ClientProcess {
 public:
  explicit TestProcess(const std::vector<std::string>& words) {
    auto started = Process::start({words, {}, {}});
    CHECK(started.ok());
    process_ = std::move(*started);
  }
  int pid() const override { return process_->pid(); }
  std::optional<std::string> ending(double wait_seconds) override {
    return process_->ending(wait_seconds);
  }
  // Waits for the first thing that it writes.
  void say_hello() const {
    pollfd ready{process_->output(), POLLIN, 0};
    CHECK(::poll(&ready, 1, 60'000) == 1);
  }

 private:
  std::unique_ptr<Process> process_;
};

class Around final : public Surroundings {
 public:
  int number_of_clients = 2;
  std::vector<std::string> program;  // of each client; empty: they live in our process
  proxy::Lines* lines = nullptr;
  Backend* backend = nullptr;
  WakeUpTrouble* messages = nullptr;
  // What was asked for, in order: "doom 0", "lose 0", "stall 0", "go on 0", "store is back".
  std::vector<std::string> asked;

  Result<ClientProcess*> process_of(int client) override {
    if (program.empty()) return nullptr;
    auto& process = processes_[client];
    if (!process) {
      process = std::make_unique<TestProcess>(program);
      process->say_hello();
    }
    return process.get();
  }
  void doom(int client) override { asked.push_back(fmt::format("doom {}", client)); }
  void lose(int client) override {
    asked.push_back(fmt::format("lose {}", client));
    if (processes_[client]) dead_.push_back(std::move(processes_[client]));
  }
  void stall(int client, bool is_stalled) override {
    asked.push_back(fmt::format("{} {}", is_stalled ? "stall" : "go on", client));
  }
  Status skew(int, Duration, double) override { return unsupported("no clock here"); }
  std::uint64_t skewed_calls(int) override { return 0; }
  void let_return(bool) override {}
  int clients() const override { return number_of_clients; }
  Result<Line> line_of(int client) override {
    if (!lines) return unsupported("no lines here");
    return Line{lines, fmt::format("line-{}", client)};
  }
  Result<Backend*> store() override { return backend; }
  Result<WakeUpTrouble*> wakeups() override {
    if (!messages) return unsupported("nobody announces jobs here");
    return messages;
  }
  Result<Disk*> disk() override { return unsupported("no disk here"); }
  Status store_is_back() override {
    asked.push_back("store is back");
    return Done{};
  }

  TestProcess& living(int client) { return static_cast<TestProcess&>(**process_of(client)); }
  // Those that were lost, in that order.
  const std::vector<std::unique_ptr<TestProcess>>& dead() const { return dead_; }

 private:
  std::map<int, std::unique_ptr<TestProcess>> processes_;
  std::vector<std::unique_ptr<TestProcess>> dead_;
};

// Of the catalogue, for that client; -1: for everybody.
inline std::unique_ptr<Fault> fault(const std::string& name, int client, Surroundings& around,
                                    const std::map<std::string, std::int64_t>& with = {}) {
  const FaultSpec spec{name, client < 0, with};
  const auto info = find_fault(all_faults(), spec);
  CHECK(info.ok());
  return (*info)->make(spec, client, around);
}

}  // namespace assay::faults_test
