// Shape: a flow without what its steps hold: who follows whom. Small, even of many parts, since
// equal ones beside each other are written once.
#pragma once

#include <functional>

#include "engine/detail/flow_names.h"

namespace assay::engine::detail {

struct Shape {
  FlowKind kind = FlowKind::step;
  std::string type = {};  // of a step; of a chord: the finalizer's
  std::vector<Shape> parts = {};

  bool operator==(const Shape&) const = default;
};

Shape shape_of(const Flow& flow);
std::string packed(const Shape& shape);
std::optional<Shape> unpacked_shape(std::string_view text);

using Visit = std::function<void(const std::string& path, const Shape& shape)>;

// The steps that begin when it begins; those whose ends are its end; all of them. In the order of
// their paths. A finalizer is shown as its chord.
void visit_starts(const Shape& shape, const std::string& path, const Visit& visit);
void visit_ends(const Shape& shape, const std::string& path, const Visit& visit);
void visit_steps(const Shape& shape, const std::string& path, const Visit& visit);
std::int64_t count_starts(const Shape& shape);
std::int64_t count_ends(const Shape& shape);
std::int64_t count_steps(const Shape& shape);

// The part at that path of the flow; of "...b" and "...f" the chord. Null: there is none.
const Shape* part_at(const Shape& root, std::string_view path);

// What begins behind a join: the path of a part of the flow, which may be a finalizer; empty:
// nothing.
std::string next_of(const Shape& root, std::string_view join);

// How many ends the join waits for.
std::int64_t ends_before(const Shape& root, std::string_view join);

}  // namespace assay::engine::detail
