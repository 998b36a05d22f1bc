#include "harness/history/detail/line_source.h"

#include <cstring>
#include <istream>

namespace assay::detail {

static constexpr std::size_t chunk = 256 * 1024;
static constexpr std::size_t longest = 64 * 1024 * 1024;

LineSource::LineSource(std::istream& in) : in_(in), buffer_(chunk) {}

bool LineSource::failed() const { return in_.bad(); }

bool LineSource::refill() {
  if (!in_) return false;
  in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  at_ = 0;
  filled_ = static_cast<std::size_t>(in_.gcount());
  return filled_ > 0;
}

bool LineSource::next() {
  text_ = {};
  pieces_.clear();
  ended_ = too_long_ = false;
  ++number_;
  while (!ended_) {
    if (at_ == filled_ && !refill()) return !text_.empty() || too_long_;
    const char* from = buffer_.data() + at_;
    const auto* end = static_cast<const char*>(std::memchr(from, '\n', filled_ - at_));
    const std::size_t size = end ? static_cast<std::size_t>(end - from) : filled_ - at_;
    at_ += size + (end ? 1 : 0);
    ended_ = end != nullptr;
    add({from, size});
  }
  return true;
}

// A line that is whole in the buffer is not copied.
void LineSource::add(std::string_view piece) {
  too_long_ = too_long_ || text_.size() + piece.size() > longest;
  if (too_long_) {
    pieces_.clear();
    text_ = {};
  } else if (ended_ && pieces_.empty()) {
    text_ = piece;
  } else {
    pieces_.append(piece);
    text_ = pieces_;
  }
}

}  // namespace assay::detail
