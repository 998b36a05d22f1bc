// Short texts, hashed, compared and copied in a few instructions: ids, tokens and names of queues
// seldom have more than two dozen characters, and a history asks for them all the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace assay {

namespace detail {

template <class Word>
inline std::uint64_t word_at(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

inline std::uint64_t stirred(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 29);
}

}  // namespace detail

// Every character counts; where words overlap, some count twice.
inline std::size_t hash_text(std::string_view text) {
  const char* at = text.data();
  const std::size_t size = text.size();
  std::uint64_t hash = size * 0xbf58476d1ce4e5b9ULL;
  if (size >= 8) {
    const char* const last = at + size - 8;
    for (; at < last; at += 8) hash = detail::stirred(hash, detail::word_at<std::uint64_t>(at));
    hash = detail::stirred(hash, detail::word_at<std::uint64_t>(last));
  } else if (size >= 4) {
    hash = detail::stirred(hash, detail::word_at<std::uint32_t>(at) << 32 |
                                     detail::word_at<std::uint32_t>(at + size - 4));
  } else {
    for (std::size_t i = 0; i < size; ++i)
      hash = detail::stirred(hash, static_cast<unsigned char>(at[i]));
  }
  return detail::stirred(hash, hash >> 32);
}

inline bool same_text(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size > 16) return std::memcmp(a.data(), b.data(), size) == 0;
  const auto alike = [&]<class Word>(Word, std::size_t at) {
    return detail::word_at<Word>(a.data() + at) == detail::word_at<Word>(b.data() + at);
  };
  if (size >= 8) return alike(std::uint64_t{}, 0) && alike(std::uint64_t{}, size - 8);
  if (size >= 4) return alike(std::uint32_t{}, 0) && alike(std::uint32_t{}, size - 4);
  for (std::size_t i = 0; i < size; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

// Requires: there is room.
inline void copy_text(char* to, std::string_view text) {
  const std::size_t size = text.size();
  if (size > 16) {
    std::memcpy(to, text.data(), size);
    return;
  }
  const auto copy = [&](std::size_t at, std::size_t bytes) {
    std::memcpy(to + at, text.data() + at, bytes);
  };
  if (size >= 8)
    copy(0, 8), copy(size - 8, 8);
  else if (size >= 4)
    copy(0, 4), copy(size - 4, 4);
  else
    for (std::size_t i = 0; i < size; ++i) to[i] = text[i];
}

// For containers that are asked with a view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return hash_text(text); }
};
struct SameText {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return same_text(a, b); }
};

}  // namespace assay
