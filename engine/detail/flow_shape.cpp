#include "engine/detail/flow_shape.h"

#include <charconv>

#include "harness/contract/check.h"

namespace assay::engine::detail {

Shape shape_of(const Flow& flow) {
  Shape shape{flow.kind, flow.step.type, {}};
  shape.parts.reserve(flow.parts.size());
  for (const Flow& part : flow.parts) shape.parts.push_back(shape_of(part));
  return shape;
}

// "s1:t", "c(...)", "g(...)", "d1:t(...)": a step, a chain, a group, a chord; "3*" before equal
// ones.
std::string packed(const Shape& shape) {
  std::string text(1, "scgd"[static_cast<std::size_t>(shape.kind)]);
  if (shape.kind == FlowKind::step || shape.kind == FlowKind::chord)
    text += std::to_string(shape.type.size()) + ":" + shape.type;
  if (shape.kind == FlowKind::step) return text;
  text += '(';
  for (std::size_t i = 0; i < shape.parts.size();) {
    std::size_t end = i + 1;
    while (end < shape.parts.size() && shape.parts[end] == shape.parts[i]) ++end;
    if (end - i > 1) text += std::to_string(end - i) + "*";
    text += packed(shape.parts[i]);
    i = end;
  }
  return text + ')';
}

namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<Shape> whole() {
    auto shape = one(0);
    if (!rest_.empty()) return std::nullopt;
    return shape;
  }

 private:
  static constexpr int deepest = 100;
  static constexpr std::int64_t most = 10'000'000;

  std::optional<Shape> one(int depth) {
    const std::size_t kind = rest_.empty() ? rest_.npos : std::string_view("scgd").find(rest_[0]);
    if (kind == rest_.npos || depth > deepest) return std::nullopt;
    rest_.remove_prefix(1);
    Shape shape{static_cast<FlowKind>(kind), {}, {}};
    if (shape.kind == FlowKind::step || shape.kind == FlowKind::chord) {
      const auto size = number(':');
      if (!size || static_cast<std::size_t>(*size) > rest_.size()) return std::nullopt;
      shape.type = rest_.substr(0, static_cast<std::size_t>(*size));
      rest_.remove_prefix(static_cast<std::size_t>(*size));
    }
    if (shape.kind == FlowKind::step) return shape;
    if (!take('(')) return std::nullopt;
    while (!take(')')) {
      const bool many = !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9';
      const auto count = many ? number('*') : std::optional<std::int64_t>(1);
      const auto part = count ? one(depth + 1) : std::nullopt;
      if (!part || (made_ += *count) > most) return std::nullopt;
      shape.parts.insert(shape.parts.end(), static_cast<std::size_t>(*count), *part);
    }
    return shape;
  }

  bool take(char what) {
    if (!rest_.starts_with(what)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<std::int64_t> number(char behind) {
    std::int64_t number = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (read.ec != std::errc{} || number < 0) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    if (!take(behind)) return std::nullopt;
    return number;
  }

  std::string_view rest_;
  std::int64_t made_ = 0;
};

std::string path_of_part(const std::string& path, const Shape& shape, std::size_t index) {
  return detail::path_of_part(path, shape.kind, index, shape.parts.size());
}

}  // namespace

std::optional<Shape> unpacked_shape(std::string_view text) { return Reader(text).whole(); }

void visit_starts(const Shape& shape, const std::string& path, const Visit& visit) {
  if (shape.kind == FlowKind::step) return visit(path, shape);
  const std::size_t first = shape.kind == FlowKind::chain ? 1 : shape.parts.size();
  for (std::size_t i = 0; i < first; ++i)
    visit_starts(shape.parts[i], path_of_part(path, shape, i), visit);
}

void visit_ends(const Shape& shape, const std::string& path, const Visit& visit) {
  const std::size_t parts = shape.parts.size();
  switch (shape.kind) {
    case FlowKind::step:
      return visit(path, shape);
    case FlowKind::chord:
      return visit(path_of_finalizer(path), shape);
    case FlowKind::chain:
      return visit_ends(shape.parts.back(), path_of_part(path, shape, parts - 1), visit);
    case FlowKind::group:
      for (std::size_t i = 0; i < parts; ++i)
        visit_ends(shape.parts[i], path_of_part(path, shape, i), visit);
  }
}

void visit_steps(const Shape& shape, const std::string& path, const Visit& visit) {
  if (shape.kind == FlowKind::step) return visit(path, shape);
  for (std::size_t i = 0; i < shape.parts.size(); ++i)
    visit_steps(shape.parts[i], path_of_part(path, shape, i), visit);
  if (shape.kind == FlowKind::chord) visit(path_of_finalizer(path), shape);
}

std::int64_t count_starts(const Shape& shape) {
  if (shape.kind == FlowKind::step) return 1;
  if (shape.kind == FlowKind::chain) return count_starts(shape.parts.front());
  std::int64_t count = 0;
  for (const Shape& part : shape.parts) count += count_starts(part);
  return count;
}

std::int64_t count_ends(const Shape& shape) {
  if (shape.kind == FlowKind::step || shape.kind == FlowKind::chord) return 1;
  if (shape.kind == FlowKind::chain) return count_ends(shape.parts.back());
  std::int64_t count = 0;
  for (const Shape& part : shape.parts) count += count_ends(part);
  return count;
}

std::int64_t count_steps(const Shape& shape) {
  std::int64_t count = shape.kind == FlowKind::step || shape.kind == FlowKind::chord ? 1 : 0;
  for (const Shape& part : shape.parts) count += count_steps(part);
  return count;
}

const Shape* part_at(const Shape& root, std::string_view path) {
  const Shape* at = &root;
  for (std::size_t dot = path.find('.'); dot != path.npos;) {
    const std::size_t end = path.find('.', dot + 1);
    const std::string_view piece = path.substr(dot + 1, end - dot - 1);
    dot = end;
    if (piece == "b" || piece == "f") {
      if (at->kind != FlowKind::chord) return nullptr;
      continue;
    }
    std::size_t index = 0;
    const auto read = std::from_chars(piece.data() + 1, piece.data() + piece.size(), index);
    if (read.ec != std::errc{} || index >= at->parts.size()) return nullptr;
    at = &at->parts[index];
  }
  return at;
}

std::string next_of(const Shape& root, std::string_view join) {
  switch (kind_of_join(join)) {
    case JoinKind::flow:
      return "";
    case JoinKind::chord:
      return path_of_finalizer(parent_of(join));
    case JoinKind::chain:
      break;
  }
  const std::string chain = parent_of(join);
  const Shape* shape = part_at(root, chain);
  std::size_t index = 0;
  std::from_chars(join.data() + chain.size() + 2, join.data() + join.size(), index);
  CHECK(shape && index + 1 < shape->parts.size());
  return path_of_part(chain, *shape, index + 1);
}

std::int64_t ends_before(const Shape& root, std::string_view join) {
  const Shape* shape = part_at(root, join);
  CHECK(shape);
  if (kind_of_join(join) != JoinKind::chord) return count_ends(*shape);
  std::int64_t count = 0;
  for (const Shape& part : shape->parts) count += count_ends(part);
  return count;
}

}  // namespace assay::engine::detail
