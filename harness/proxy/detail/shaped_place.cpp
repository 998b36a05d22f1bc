#include "harness/proxy/detail/shaped_place.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/proxy/detail/places.h"
#include "harness/proxy/detail/toxics/all.h"

namespace assay::proxy {

static Direction direction_of(const ToxicSpec& toxic) { return *direction_from(toxic.stream); }

ProxySpec ShapedPlace::told() const {
  ProxySpec all = spec;
  all.toxics.clear();
  for (const Direction direction : {Direction::upstream, Direction::downstream})
    for (const ToxicSpec& toxic : toxics_)
      if (direction_of(toxic) == direction) all.toxics.push_back(toxic);
  return all;
}

ProxyCounters ShapedPlace::counters() const {
  ProxyCounters now = counters_;
  now.open = static_cast<std::uint64_t>(
      std::count_if(connections_.begin(), connections_.end(),
                    [](const Carried& carried) { return !carried.connection->is_over(); }));
  return now;
}

Status ShapedPlace::enable() {
  if (spec.enabled) return Done{};
  auto socket = listen_on(spec.listen);
  if (!socket.ok()) return socket.error();
  spec.listen = own_address(*socket);
  spec.enabled = true;
  door_ = std::make_unique<Door>(
      loop_, std::move(*socket), [this](Socket client) { enter(std::move(client)); }, [] {});
  return Done{};
}

void ShapedPlace::disable() {
  if (!spec.enabled) return;
  spec.enabled = false;
  loop_.shut(std::move(door_));
  for (const Carried& carried : connections_) carried.connection->close();
}

void ShapedPlace::enter(Socket client) {
  ++counters_.accepted;
  const std::uint64_t number = ++last_number_;
  connections_.push_back({number, std::make_unique<ShapedConnection>(
                                      std::move(client), upstream, loop_, counters_, some_is_over_,
                                      WatchedConnection{watcher, number})});
  for (const ToxicSpec& toxic : toxics_) apply(connections_.back(), toxic);
  connections_.back().connection->go_on();
}

// The same draw for a connection whenever it is asked for: a toxicity that grows befalls whom it
// befell before, and more.
void ShapedPlace::apply(const Carried& carried, const ToxicSpec& toxic) {
  constexpr std::uint64_t parts = 1ULL << 53;
  Random random = random_.fork(fmt::format("{}/{}/{}", spec.name, carried.number, toxic.name));
  const double drawn = static_cast<double>(random.below(parts)) / static_cast<double>(parts);
  Chain& chain = carried.connection->chain(direction_of(toxic));
  Toxic* there = chain.find(toxic.name);
  if (there && drawn < toxic.toxicity)
    there->set(toxic.attributes);
  else if (there)
    chain.remove(toxic.name);
  else if (drawn < toxic.toxicity)
    chain.add(toxic.name, make_toxic(toxic.type, toxic.attributes, random));
}

ToxicSpec* ShapedPlace::find(const std::string& name) {
  for (ToxicSpec& toxic : toxics_)
    if (toxic.name == name) return &toxic;
  return nullptr;
}

void ShapedPlace::add(const ToxicSpec& toxic) {
  toxics_.push_back(toxic);
  update(toxic);
}

void ShapedPlace::update(const ToxicSpec& toxic) {
  *find(toxic.name) = toxic;
  for (const Carried& carried : connections_) {
    if (carried.connection->is_over()) continue;
    apply(carried, toxic);
    carried.connection->go_on();
  }
}

void ShapedPlace::remove(const std::string& name) {
  const Direction direction = direction_of(*find(name));
  std::erase_if(toxics_, [&](const ToxicSpec& toxic) { return toxic.name == name; });
  for (const Carried& carried : connections_) {
    if (carried.connection->is_over()) continue;
    carried.connection->chain(direction).remove(name);
    carried.connection->go_on();
  }
}

void ShapedPlace::remove_toxics() {
  while (!toxics_.empty()) remove(std::string(toxics_.back().name));
}

std::size_t ShapedPlace::forsake() {
  return static_cast<std::size_t>(std::ranges::count_if(
      connections_, [](const Carried& carried) { return carried.connection->forsake(); }));
}

void ShapedPlace::bury() {
  if (!std::exchange(some_is_over_, false)) return;
  std::erase_if(connections_, [](const Carried& carried) { return carried.connection->is_over(); });
}

}  // namespace assay::proxy
