// Recorder: a listener that keeps what it is told, for a test that waits for it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "harness/proxy/gate.h"

namespace assay::proxy_test {

class Recorder : public proxy::ProxyListener {
 public:
  void opened(proxy::ConnectionId id) override { keep({Kind::opened, id}); }
  void held(const proxy::HeldRequest& request) override {
    keep({Kind::held, request.from, request.what, request});
  }
  void answered(const proxy::Answer& answer) override {
    keep({Kind::answered, answer.to, "", {}, answer});
  }
  void kept(proxy::ConnectionId id) override { keep({Kind::kept, id}); }
  void pushed(proxy::ConnectionId id, const std::string& what) override {
    keep({Kind::pushed, id, what});
  }
  void refused(proxy::ConnectionId id, const std::string& why) override {
    keep({Kind::refused, id, why});
  }
  void closed(proxy::ConnectionId id, const std::string& why) override {
    keep({Kind::closed, id, why});
  }

  // Each waits for the next of its kind that concerns the client.
  proxy::ConnectionId next_opened(int client) { return take(Kind::opened, client).id; }
  proxy::HeldRequest next_held(int client) { return take(Kind::held, client).request; }
  proxy::Answer next_answer(int client) { return take(Kind::answered, client).answer; }
  void next_kept(int client) { take(Kind::kept, client); }
  std::string next_push(int client) { return take(Kind::pushed, client).text; }
  std::string next_refusal(int client) { return take(Kind::refused, client).text; }
  std::string next_closing(int client) { return take(Kind::closed, client).text; }

  // So far.
  std::size_t helds(int client) { return count(Kind::held, client); }
  std::size_t answers(int client) { return count(Kind::answered, client); }

 private:
  enum class Kind { opened, held, answered, kept, pushed, refused, closed };
  struct Record {
    Kind kind;
    proxy::ConnectionId id = {};
    std::string text = {};
    proxy::HeldRequest request = {};
    proxy::Answer answer = {};
  };

  void keep(Record record) {
    {
      const std::scoped_lock lock(mutex_);
      records_.push_back(std::move(record));
    }
    changed_.notify_all();
  }

  Record take(Kind kind, int client) {
    std::unique_lock lock(mutex_);
    std::optional<Record> found;
    const auto look = [&] {
      for (auto it = records_.begin(); it != records_.end(); ++it)
        if (it->kind == kind && it->id.client == client) {
          found = std::move(*it);
          records_.erase(it);
          return true;
        }
      return false;
    };
    if (!changed_.wait_for(lock, std::chrono::seconds(60), look)) {
      ADD_FAILURE() << "client " << client << " waits in vain for event " << static_cast<int>(kind);
      return {kind};
    }
    return *found;
  }

  std::size_t count(Kind kind, int client) {
    const std::scoped_lock lock(mutex_);
    std::size_t found = 0;
    for (const Record& record : records_)
      found += record.kind == kind && record.id.client == client;
    return found;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Record> records_;
};

}  // namespace assay::proxy_test
