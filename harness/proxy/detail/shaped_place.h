// ShapedPlace: one proxy of a ShapingProxy: its door, its toxics and its connections.
//
// Not thread-safe: the loop's lock guards it.
#pragma once

#include <list>

#include "harness/contract/random.h"
#include "harness/proxy/detail/shaped_connection.h"

namespace assay::proxy {

class ShapedPlace {
 public:
  // The loop is borrowed.
  ShapedPlace(Loop& loop, Random random, ProxySpec spec)
      : spec(std::move(spec)), loop_(loop), random_(random) {}

  // Toxics aside, as it is. What is written here counts from the next `enable` on.
  ProxySpec spec;
  std::vector<Address> upstream;
  LineWatcher* watcher = nullptr;  // borrowed; null: nobody wants to know

  ProxySpec told() const;
  ProxyCounters counters() const;

  Status enable();
  // Its connections stay with it until they are buried: they may be in somebody's hand.
  void disable();

  ToxicSpec* find(const std::string& name);
  void add(const ToxicSpec& toxic);
  void update(const ToxicSpec& toxic);
  void remove(const std::string& name);
  void remove_toxics();

  // How many of its connections have lost their upstream side, unknown to their clients.
  std::size_t forsake();

  // Connections that are over go.
  void bury();

 private:
  struct Carried {
    std::uint64_t number;
    std::unique_ptr<ShapedConnection> connection;
  };

  void enter(Socket client);
  void apply(const Carried& carried, const ToxicSpec& toxic);

  Loop& loop_;
  const Random random_;
  std::unique_ptr<Door> door_;
  std::vector<ToxicSpec> toxics_;  // in the order in which they were added
  std::list<Carried> connections_;
  bool some_is_over_ = false;  // of them
  std::uint64_t last_number_ = 0;
  ProxyCounters counters_;
};

}  // namespace assay::proxy
