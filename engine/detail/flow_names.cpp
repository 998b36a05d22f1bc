#include "engine/detail/flow_names.h"

#include <fmt/format.h>

#include <charconv>

namespace assay::engine::detail {

std::string path_of_part(const std::string& path, FlowKind kind, std::size_t index,
                         std::size_t parts) {
  switch (kind) {
    case FlowKind::group:
      return fmt::format("{}.g{:06}", path, index);
    case FlowKind::chord:
      return fmt::format("{}.b.g{:06}", path, index);
    case FlowKind::chain:
      return fmt::format("{}.{}{:06}", path, index + 1 == parts ? 'z' : 'c', index);
    case FlowKind::step:
      break;
  }
  return path;
}

std::string path_of_part(const std::string& path, const Flow& flow, std::size_t index) {
  return path_of_part(path, flow.kind, index, flow.parts.size());
}

std::string parent_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return std::string(dot == path.npos ? "" : path.substr(0, dot));
}

// The end of a group's part, of a chain's last one and of a finalizer is that of what they are
// part of, as far as they are concerned.
std::string join_of(std::string_view path) {
  for (;;) {
    const std::size_t dot = path.rfind('.');
    if (dot == path.npos) return std::string(path);
    const char kind = path[dot + 1];
    if (kind == 'c' || kind == 'b') return std::string(path);
    path = path.substr(0, dot);
  }
}

// First parts begin with what they are part of; the parts of a group do, too.
std::string join_before(std::string_view path) {
  for (;;) {
    const std::size_t dot = path.rfind('.');
    if (dot == path.npos) return "";
    const std::string_view piece = path.substr(dot + 1);
    path = path.substr(0, dot);
    if (piece == "f") return std::string(path) + ".b";
    if (piece[0] != 'c' && piece[0] != 'z') continue;
    std::size_t index = 0;
    std::from_chars(piece.data() + 1, piece.data() + piece.size(), index);
    if (index > 0) return fmt::format("{}.c{:06}", path, index - 1);
  }
}

JoinKind kind_of_join(std::string_view join) {
  const std::size_t dot = join.rfind('.');
  if (dot == join.npos) return JoinKind::flow;
  return join[dot + 1] == 'b' ? JoinKind::chord : JoinKind::chain;
}

std::string member_name(std::string_view flow, std::string_view path) {
  return fmt::format("flow:{}:{}", flow, path);
}

std::string errand_name(std::string_view flow, std::string_view errand, std::string_view path) {
  return fmt::format("flow:{}:!{}:{}", flow, errand, path);
}

std::optional<MemberName> member_of(const Job& job) {
  std::string_view rest = job.key ? std::string_view(*job.key) : std::string_view{};
  if (!rest.starts_with(member_prefix)) return std::nullopt;
  rest.remove_prefix(member_prefix.size());
  const std::size_t colon = rest.find(':');
  if (colon == rest.npos) return std::nullopt;
  MemberName name;
  name.flow = rest.substr(0, colon);
  rest.remove_prefix(colon + 1);
  if (rest.starts_with('!')) {
    const std::size_t end = rest.find(':');
    if (end == rest.npos) return std::nullopt;
    name.errand = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  }
  name.path = rest;
  if (name.flow.empty() || name.path.empty() || name.path.front() != 'r') return std::nullopt;
  return name;
}

std::string key_of(std::string_view flow, Part part, std::string_view path) {
  return fmt::format("flow/{}/{}/{}", flow, static_cast<char>(part), path);
}

}  // namespace assay::engine::detail
