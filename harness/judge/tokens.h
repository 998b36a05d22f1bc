// Tokens: which delivery gave out each token first.
#pragma once

#include <deque>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/judge/hash_index.h"
#include "harness/judge/job_facts.h"
#include "harness/judge/text_hash.h"

namespace assay {

class Tokens {
 public:
  using Source = std::pair<JobIndex, OpId>;

  bool empty() const { return minted_.empty(); }

  const Source* find(std::string_view token) const {
    const auto found = number_of(token, hash_text(token));
    return found ? &minted_[*found].source : nullptr;
  }

  // It will be asked for soon.
  void fetch(std::string_view token) const { index_.fetch(hash_text(token)); }

  // Nothing where it was given out before.
  void add(std::string_view token, JobIndex job, OpId op) {
    const std::size_t hash = hash_text(token);
    if (number_of(token, hash)) return;
    index_.add(hash, static_cast<std::uint32_t>(minted_.size()));
    minted_.push_back({kept(token), {job, op}});
  }

 private:
  struct Minted {
    std::string_view token;
    Source source;
  };
  static constexpr std::size_t block_size = 64 * 1024;

  std::optional<std::uint32_t> number_of(std::string_view token, std::size_t hash) const {
    return index_.find(
        hash, [&](std::uint32_t number) { return same_text(minted_[number].token, token); });
  }

  // Texts lie one after the other: most are too short for an allocation of their own.
  std::string_view kept(std::string_view text) {
    if (text.size() > left_) {
      left_ = std::max(block_size, text.size());
      blocks_.push_back(std::make_unique<char[]>(left_));
      free_ = blocks_.back().get();
    }
    char* at = free_;
    copy_text(at, text);
    free_ += text.size();
    left_ -= text.size();
    return {at, text.size()};
  }

  HashIndex index_;
  std::deque<Minted> minted_;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace assay
