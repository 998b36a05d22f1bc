// Toxic: one thing that is wrong with one direction of one connection: given what came and what the
// time is, it says what goes on. It knows no sockets and no clock.
//
// Not thread-safe.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "harness/proxy/detail/timers.h"
#include "harness/proxy/toxics.h"

namespace assay::proxy {

struct Chunk {
  std::string bytes;
  Moment arrived{};  // where it was read, or when the last toxic with a delay let it go
};

// How a stream ends, behind its last chunk.
enum class End {
  none,
  half,   // whoever sends has nothing more to say, and may still listen
  close,  // the whole connection is to be closed
  reset,  // the whole connection is to be cut off, now
};

// Between two toxics.
struct Stream {
  static constexpr std::size_t most_chunks = 8192;  // small ones cost more than their bytes

  std::deque<Chunk> chunks;
  std::size_t size = 0;  // of all chunks
  End end = End::none;

  bool has_room(std::size_t room) const { return size < room && chunks.size() < most_chunks; }
  void push(Chunk chunk) {
    size += chunk.bytes.size();
    chunks.push_back(std::move(chunk));
  }
  Chunk pop() {
    Chunk first = std::move(chunks.front());
    chunks.pop_front();
    size -= first.bytes.size();
    return first;
  }
  // The first so many bytes of the first chunk. Requires: there are more.
  Chunk pop_part(std::size_t count) {
    Chunk part{chunks.front().bytes.substr(0, count), chunks.front().arrived};
    chunks.front().bytes.erase(0, count);
    size -= count;
    return part;
  }
  void clear() {
    chunks.clear();
    size = 0;
  }
};

// The proof that it did something.
struct Effects {
  std::uint64_t delayed_chunks = 0;
  std::uint64_t dropped_bytes = 0;
  std::uint64_t split_chunks = 0;
  std::uint64_t delayed_ends = 0;
};

class Toxic {
 public:
  // What it is given to work with.
  struct Stage {
    Stream& in;
    Stream& out;
    std::size_t room;  // so many bytes may lie in `out`
    Moment now;
    Effects& effects;

    bool has_room() const { return out.has_room(room); }
    // Behind the last chunk the end goes on.
    void pass_end() {
      if (in.chunks.empty() && out.end == End::none) out.end = in.end;
    }
    // All that came is lost.
    void drop() {
      effects.dropped_bytes += in.size;
      in.clear();
    }
  };

  virtual ~Toxic() = default;

  // From now on; what it remembers stays.
  virtual void set(const Attributes& attributes) = 0;

  // Moves to `out` what goes on by now. Returns when it is to be called again, if nothing happens
  // before.
  virtual std::optional<Moment> work(Stage stage) = 0;

  // So much may wait before it.
  virtual std::size_t patience() const { return 64 * 1024; }

  // Whether the connection is of no use any more without it: what it swallowed is missing.
  virtual bool breaks_when_removed() const { return false; }
};

// 0 where it is absent.
inline std::int64_t attribute(const Attributes& attributes, const char* name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? 0 : found->second;
}

// Of an attribute in milliseconds: at most a thousand years, and not negative.
inline Moment milliseconds_of(const Attributes& attributes, const char* name) {
  constexpr std::int64_t most = 1000LL * 365 * 24 * 3600 * 1000;
  const std::int64_t value = attribute(attributes, name);
  return std::chrono::milliseconds(value < 0 ? 0 : value > most ? most : value);
}

}  // namespace assay::proxy
