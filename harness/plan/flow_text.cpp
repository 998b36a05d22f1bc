#include "harness/plan/flow_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>

namespace assay {
namespace {

constexpr std::size_t most_depth = 8, most_steps = 500;
constexpr std::array<std::string_view, 4> kinds{"step", "chain", "group", "chord"};

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(' ');
  if (from == text.npos) return "";
  return text.substr(from, text.find_last_not_of(' ') - from + 1);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 40 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  Result<FlowText> flow() {
    FlowText flow;
    flow.id = std::string(trimmed(until("=")));
    if (!is_name(flow.id) || !takes("=")) return wrong("it does not begin with its id and '='");
    flow.goes_on = takes("go_on ");
    if (!part(flow.root, 1)) return wrong(why_);
    if (!trimmed(rest_).empty()) return wrong("something stands behind it");
    return flow;
  }

 private:
  static Error wrong(std::string_view why) {
    return invalid(fmt::format("this is no flow: {}", why));
  }
  bool objects(const char* why) {
    if (why_.empty()) why_ = why;
    return false;
  }

  // All up to one of the characters, which stays.
  std::string_view until(std::string_view ends) {
    const std::size_t length = std::min(rest_.find_first_of(ends), rest_.size());
    const std::string_view text = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return text;
  }
  bool takes(std::string_view word) {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool step(FlowPart& into) {
    into.name = std::string(trimmed(until(":,;()")));
    if (!is_name(into.name)) return objects("a step has no name");
    if (!names_.insert(into.name).second) return objects("two steps have the same name");
    if (names_.size() > most_steps) return objects("it has too many steps");
    if (!takes(":")) return objects("a step has no script");
    into.script = std::string(trimmed(until(",;()")));
    return true;
  }

  bool part(FlowPart& into, std::size_t depth) {
    if (depth > most_depth) return objects("it is nested too deep");
    for (std::size_t kind = 1; kind < kinds.size(); ++kind)
      if (takes(std::string(kinds[kind]) + "(")) {
        into.kind = static_cast<FlowPart::Kind>(kind);
        return parts(into, depth);
      }
    return step(into);
  }

  bool parts(FlowPart& into, std::size_t depth) {
    do {
      if (!part(into.parts.emplace_back(), depth + 1)) return false;
    } while (takes(","));
    if (into.kind == FlowPart::Kind::chord && (!takes(";") || !step(into)))
      return objects("a chord has no last step");
    return takes(")") || objects("a bracket is not closed");
  }

  std::string_view rest_;
  std::string why_;
  std::set<std::string> names_;
};

std::string text_of(const FlowPart& part) {
  const std::string own = fmt::format("{}: {}", part.name, part.script);
  if (part.kind == FlowPart::Kind::step) return own;
  std::string text = std::string(kinds[static_cast<std::size_t>(part.kind)]) + "(";
  for (std::size_t i = 0; i < part.parts.size(); ++i)
    text += (i > 0 ? ", " : "") + text_of(part.parts[i]);
  return text + (part.kind == FlowPart::Kind::chord ? "; " + own : "") + ")";
}

// Each way of making one part smaller, with all else as it is.
void shrink(const FlowPart& part, const std::function<void(FlowPart)>& offer) {
  const FlowPart last{FlowPart::Kind::step, part.name, part.script, {}};
  for (const FlowPart& inner : part.parts) offer(inner);
  if (part.kind == FlowPart::Kind::chord) offer(last);
  for (std::size_t i = 0; i < part.parts.size(); ++i) {
    FlowPart fewer = part;
    fewer.parts.erase(fewer.parts.begin() + static_cast<std::ptrdiff_t>(i));
    if (!fewer.parts.empty()) offer(fewer);
  }
  if (!part.name.empty() && part.script != "ok") {
    FlowPart plain = part;
    const std::size_t bar = part.script.rfind(" | ");
    plain.script = "ok";
    offer(plain);
    plain.script = part.script.substr(0, bar == part.script.npos ? part.script.size() : bar);
    if (plain != part) offer(plain);
  }
  for (std::size_t i = 0; i < part.parts.size(); ++i)
    shrink(part.parts[i], [&](FlowPart inner) {
      FlowPart other = part;
      other.parts[i] = std::move(inner);
      offer(std::move(other));
    });
}

using Indexes = std::vector<std::size_t>;

class Ordering {
 public:
  FlowOrder take(const FlowText& flow) {
    static_cast<void>(add(flow.root, {}));
    return std::move(order_);
  }

 private:
  struct Rim {
    Indexes starts, ends;
  };

  std::size_t add_step(const std::string& name, Indexes after, bool is_last) {
    order_.steps.push_back({name, std::move(after), is_last, {}});
    return order_.steps.size() - 1;
  }

  Rim add(const FlowPart& part, const Indexes& after) {
    if (part.kind == FlowPart::Kind::step) {
      const std::size_t index = add_step(part.name, after, false);
      return {{index}, {index}};
    }
    if (part.kind == FlowPart::Kind::chain) return add_chain(part, after);
    Rim rim;
    std::vector<Indexes> firsts;
    for (const FlowPart& inner : part.parts) {
      const Rim one = add(inner, after);
      rim.starts.insert(rim.starts.end(), one.starts.begin(), one.starts.end());
      rim.ends.insert(rim.ends.end(), one.ends.begin(), one.ends.end());
      firsts.push_back(one.starts);
    }
    order_.groups.push_back(std::move(firsts));
    if (part.kind == FlowPart::Kind::chord) {
      rim.ends = {add_step(part.name, rim.ends, true)};
      order_.steps.back().chord_after = after;
    }
    return rim;
  }

  Rim add_chain(const FlowPart& part, const Indexes& after) {
    Rim rim;
    for (const FlowPart& inner : part.parts) {
      const bool is_first = rim.starts.empty();
      Rim one = add(inner, is_first ? after : rim.ends);
      if (is_first) rim.starts = std::move(one.starts);
      rim.ends = std::move(one.ends);
    }
    return rim;
  }

  FlowOrder order_;
};

}  // namespace

Result<FlowText> flow_in(std::string_view text) { return Reader(text).flow(); }

std::string text_of(const FlowText& flow) {
  return fmt::format("{} = {}{}", flow.id, flow.goes_on ? "go_on " : "", text_of(flow.root));
}

std::vector<std::string> smaller_flows(std::string_view text) {
  std::vector<std::string> smaller;
  const auto flow = flow_in(text);
  if (!flow.ok()) return smaller;
  shrink(flow->root, [&](FlowPart root) {
    smaller.push_back(text_of(FlowText{flow->id, flow->goes_on, std::move(root)}));
  });
  if (flow->goes_on) smaller.push_back(text_of(FlowText{flow->id, false, flow->root}));
  std::ranges::stable_sort(smaller, {}, &std::string::size);
  return smaller;
}

std::string payload_of(const FlowMember& member, std::string_view script) {
  return fmt::format("@{}/{} {}", member.flow, member.step, script);
}

std::optional<FlowMember> member_in(std::string_view payload) {
  if (!payload.starts_with('@')) return std::nullopt;
  const std::string_view mark = payload.substr(1, payload.find(' ') - 1);
  const std::size_t apart = mark.find('/');
  if (apart == mark.npos) return std::nullopt;
  FlowMember member{std::string(mark.substr(0, apart)), std::string(mark.substr(apart + 1))};
  if (!is_name(member.flow) || !is_name(member.step)) return std::nullopt;
  return member;
}

FlowOrder order_of(const FlowText& flow) { return Ordering().take(flow); }

}  // namespace assay
