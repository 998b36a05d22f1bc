#include "harness/proxy/shaping_proxy.h"

#include <map>

#include "harness/proxy/detail/places.h"
#include "harness/proxy/detail/shaped_place.h"

namespace assay::proxy {
namespace {

Error no_proxy() { return not_found("proxy not found"); }
Error no_toxic() { return not_found("toxic not found"); }

}  // namespace

class ShapingProxy::Core final : public Loop {
 public:
  Core(std::uint64_t seed, std::unique_ptr<Poller> poller)
      : Loop(std::move(poller)), random_(seed) {
    begin();
  }
  ~Core() override { end(); }

  std::uint64_t seed() const { return random_.seed(); }

  // Hosts are looked up before the lock is taken: everybody's bytes would wait for the answer.
  Result<ProxySpec> add(const ProxySpec& proxy, bool replaces, LineWatcher* watcher = nullptr) {
    auto upstream = addresses_of(proxy.upstream);
    const auto listen = listening_place(proxy.listen);
    const Wakeful lock(*this);
    const auto found = places_.find(proxy.name);
    if (found != places_.end()) {
      if (!replaces) return conflict("proxy already exists");
      if (!listen.ok()) return cannot(listen.error());
      ShapedPlace& there = *found->second;
      if (there.spec.listen == *listen && there.spec.upstream == proxy.upstream)
        return there.told();
      there.disable();
    }
    ProxySpec spec = proxy;
    spec.enabled = false;
    auto place = std::make_unique<ShapedPlace>(*this, random_, spec);
    place->upstream = std::move(upstream);
    place->watcher = watcher;
    if (proxy.enabled)
      if (Status enabled = place->enable(); !enabled.ok()) return enabled.error();
    if (found != places_.end()) drop(found);
    return (places_[proxy.name] = std::move(place))->told();
  }

  Result<ProxySpec> change(const std::string& name, const ProxyChange& change) {
    auto before = with(name, [](ShapedPlace& place) -> Result<ProxySpec> { return place.told(); });
    if (!before.ok()) return before.error();
    const std::string wanted = change.listen.value_or(before->listen);
    const auto listen = listening_place(wanted);
    if (!listen.ok()) return cannot(listen.error());
    auto upstream = addresses_of(change.upstream.value_or(before->upstream));
    return with(name, [&](ShapedPlace& place) -> Result<ProxySpec> {
      const bool enabled = change.enabled.value_or(place.spec.enabled);
      const bool moves = change.listen && place.spec.listen != *listen;
      if (moves || (change.upstream && place.spec.upstream != *change.upstream)) place.disable();
      if (moves) place.spec.listen = wanted;
      place.spec.upstream = change.upstream.value_or(place.spec.upstream);
      place.upstream = std::move(upstream);
      if (!enabled) place.disable();
      if (enabled)
        if (Status started = place.enable(); !started.ok()) return started.error();
      return place.told();
    });
  }

  Status remove(const std::string& name) {
    const Wakeful lock(*this);
    const auto found = places_.find(name);
    if (found == places_.end()) return no_proxy();
    drop(found);
    return Done{};
  }

  std::vector<ProxySpec> all() {
    const std::scoped_lock lock(mutex_);
    std::vector<ProxySpec> told;
    for (const auto& [name, place] : places_) told.push_back(place->told());
    return told;
  }

  Status reset() {
    const Wakeful lock(*this);
    for (const auto& [name, place] : places_) {
      if (Status enabled = place->enable(); !enabled.ok()) return enabled;
      place->remove_toxics();
    }
    return Done{};
  }

  template <class Use>
  auto with(const std::string& name, Use use) -> decltype(use(std::declval<ShapedPlace&>())) {
    const Wakeful lock(*this);
    const auto found = places_.find(name);
    if (found == places_.end()) return no_proxy();
    return use(*found->second);
  }

 private:
  using Places = std::map<std::string, std::unique_ptr<ShapedPlace>>;

  // The lock, for a call after which the thread may have to look again when something is due.
  class Wakeful {
   public:
    explicit Wakeful(Core& core) : core_(core), lock_(core.mutex_) {}
    ~Wakeful() { core_.wake(); }

   private:
    Core& core_;
    const std::scoped_lock<std::mutex> lock_;
  };

  static Error cannot(const Error& why) {
    return {ErrorCode::unavailable, why.message, LeaseReason::unstated, true};
  }

  void drop(Places::iterator found) {
    found->second->disable();
    gone_.push_back(std::move(found->second));
    places_.erase(found);
  }

  void tidy() override {
    gone_.clear();
    for (const auto& [name, place] : places_) place->bury();
  }

  void leave() override {
    gone_.clear();
    places_.clear();
  }

  const Random random_;
  // Guarded by the loop's lock.
  Places places_;
  std::vector<std::unique_ptr<ShapedPlace>> gone_;
};

ShapingProxy::ShapingProxy(std::unique_ptr<Core> core) : core_(std::move(core)) {}
ShapingProxy::~ShapingProxy() = default;

Result<std::unique_ptr<ShapingProxy>> ShapingProxy::start(std::uint64_t seed) {
  auto poller = Poller::make();
  if (!poller.ok()) return poller.error();
  return std::unique_ptr<ShapingProxy>(
      new ShapingProxy(std::make_unique<Core>(seed, std::move(*poller))));
}

std::uint64_t ShapingProxy::seed() const { return core_->seed(); }
std::chrono::microseconds ShapingProxy::now() const { return core_->now(); }
Result<ProxySpec> ShapingProxy::add(const ProxySpec& proxy) { return core_->add(proxy, false); }
Result<ProxySpec> ShapingProxy::add(const ProxySpec& proxy, LineWatcher& watcher) {
  return core_->add(proxy, false, &watcher);
}
Result<ProxySpec> ShapingProxy::put(const ProxySpec& proxy) { return core_->add(proxy, true); }
Status ShapingProxy::remove(const std::string& name) { return core_->remove(name); }
std::vector<ProxySpec> ShapingProxy::all() const { return core_->all(); }
Status ShapingProxy::reset() { return core_->reset(); }

Result<ProxySpec> ShapingProxy::change(const std::string& name, const ProxyChange& change) {
  return core_->change(name, change);
}

Result<ProxySpec> ShapingProxy::get(const std::string& name) const {
  return core_->with(name, [](ShapedPlace& place) -> Result<ProxySpec> { return place.told(); });
}

Result<std::size_t> ShapingProxy::forsake(const std::string& name) {
  return core_->with(name,
                     [](ShapedPlace& place) -> Result<std::size_t> { return place.forsake(); });
}

Result<ProxyCounters> ShapingProxy::counters(const std::string& name) const {
  return core_->with(name,
                     [](ShapedPlace& place) -> Result<ProxyCounters> { return place.counters(); });
}

Result<ToxicSpec> ShapingProxy::add_toxic(const std::string& proxy, const ToxicSpec& toxic) {
  return core_->with(proxy, [&](ShapedPlace& place) -> Result<ToxicSpec> {
    if (!direction_from(toxic.stream))
      return invalid("stream was invalid, can be either upstream or downstream");
    const ToxicType* type = toxic_type(toxic.type);
    if (!type) return invalid("invalid toxic type");
    ToxicSpec added = toxic;
    if (added.name.empty()) added.name = toxic.type + "_" + toxic.stream;
    if (place.find(added.name)) return conflict("toxic already exists");
    added.attributes.clear();
    for (const std::string& name : type->attributes) {
      const auto given = toxic.attributes.find(name);
      added.attributes[name] = given == toxic.attributes.end() ? 0 : given->second;
    }
    place.add(added);
    return added;
  });
}

Result<ToxicSpec> ShapingProxy::change_toxic(const std::string& proxy, const std::string& name,
                                             const ToxicChange& change) {
  return core_->with(proxy, [&](ShapedPlace& place) -> Result<ToxicSpec> {
    const ToxicSpec* found = place.find(name);
    if (!found) return no_toxic();
    ToxicSpec changed = *found;
    changed.toxicity = change.toxicity.value_or(changed.toxicity);
    for (const auto& [attribute, value] : change.attributes)
      if (changed.attributes.contains(attribute)) changed.attributes[attribute] = value;
    place.update(changed);
    return changed;
  });
}

Status ShapingProxy::remove_toxic(const std::string& proxy, const std::string& name) {
  return core_->with(proxy, [&](ShapedPlace& place) -> Status {
    if (!place.find(name)) return no_toxic();
    place.remove(name);
    return Done{};
  });
}

Result<ToxicSpec> ShapingProxy::get_toxic(const std::string& proxy, const std::string& name) const {
  return core_->with(proxy, [&](ShapedPlace& place) -> Result<ToxicSpec> {
    const ToxicSpec* found = place.find(name);
    if (!found) return no_toxic();
    return *found;
  });
}

}  // namespace assay::proxy
