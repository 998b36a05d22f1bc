// VirtualLine: a chain of toxics in virtual time: what is said at which moment comes out when.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "harness/proxy/detail/chain.h"
#include "harness/proxy/detail/toxics/all.h"

namespace assay::proxy_test {

using namespace proxy;

constexpr Moment ms(std::int64_t count) { return std::chrono::milliseconds(count); }

class VirtualLine {
 public:
  VirtualLine& add(const std::string& type, const Attributes& attributes, std::uint64_t seed = 1) {
    chain.add(type, make_toxic(type, attributes, Random(seed)));
    work();
    return *this;
  }

  void say(std::string_view bytes) {
    chain.take(bytes, now_);
    work();
  }
  void end(End how = End::half) {
    chain.end(how);
    work();
  }

  // Whatever is due until then happens, each at its moment.
  void until(Moment when) {
    for (int i = 0; next_ && *next_ <= when && i < 1'000'000; ++i) {
      now_ = std::max(now_, *next_);
      work();
    }
    now_ = when;
    work();
  }

  void work() {
    next_ = chain.work(now_, room, effects);
    while (!chain.out.chunks.empty()) {
      const std::string bytes = chain.out.pop().bytes;
      log += fmt::format("{}{}:{}", log.empty() ? "" : " ", told(now_), bytes);
      sizes.push_back(bytes.size());
      text += bytes;
    }
    if (chain.out.end == told_end_) return;
    told_end_ = chain.out.end;
    constexpr const char* names[] = {"none", "half", "close", "reset"};
    log += fmt::format("{}{}!{}", log.empty() ? "" : " ", told(now_),
                       names[static_cast<int>(told_end_)]);
  }

  Chain chain;
  std::size_t room = 1 << 20;
  Effects effects;
  std::string log;  // "100:abc 200!half": at which millisecond what came out
  std::string text;
  std::vector<std::size_t> sizes;
  std::optional<Moment> next() const { return next_; }

 private:
  static std::string told(Moment when) {
    return when.count() % 1000 == 0 ? std::to_string(when.count() / 1000)
                                    : fmt::format("{}us", when.count());
  }

  Moment now_{};
  std::optional<Moment> next_;
  End told_end_ = End::none;
};

}  // namespace assay::proxy_test
