// What a flow's members, joins and records are called.
//
// A path says where a step stands and what its end leads to, with nothing looked up: behind the
// root "r" a piece for each level: "g000003" the fourth part of a group, "c000000" a part of a
// chain, "z000001" its last one, "b" the group of a chord, "f" its finalizer. So the end of a
// step at "r.c000000.b.g000003" counts for the join "r.c000000.b". In the order of their bytes
// paths stand as the flow was written.
//
// A join is where ends are counted: a part of a chain that is not the last one, the group of a
// chord, or the whole flow. When all the steps that end it have ended, what comes next begins.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/flow.h"

namespace assay::engine::detail {

inline constexpr const char* root_path = "r";
// Of jobs that the engine runs itself: see steward.h.
inline constexpr const char* steward_type = "assay.flow";

std::string path_of_part(const std::string& path, const Flow& flow, std::size_t index);
std::string path_of_part(const std::string& path, FlowKind kind, std::size_t index,
                         std::size_t parts);
// Errands have paths of their own.
inline bool is_finalizer(std::string_view path) {
  return path.ends_with(".f") && !path.starts_with('!');
}
inline std::string path_of_finalizer(const std::string& path) { return path + ".f"; }

// Of a step, or of any part of a flow.
std::string join_of(std::string_view path);

// The join whose end led to the step; empty: it is one of the flow's first.
std::string join_before(std::string_view path);

enum class JoinKind { chain, chord, flow };
JoinKind kind_of_join(std::string_view join);
// What begins behind it, where that is a chord's finalizer; and the chain or chord it is part of.
std::string parent_of(std::string_view path);

// Whether the end of the step counts for that join itself, not for one on the way to it.
inline bool ends(std::string_view path, std::string_view join) { return join_of(path) == join; }

// --- jobs ---

// "flow:ID:PATH": the id of a member's job, and its key, which a copy of a dead one has, too.
std::string member_name(std::string_view flow, std::string_view path);
inline constexpr std::string_view member_prefix = "flow:";
// What a steward is to do: "flow:ID:!launch:PATH", "flow:ID:!skip:JOIN".
std::string errand_name(std::string_view flow, std::string_view errand, std::string_view path);

struct MemberName {
  std::string flow = {};
  std::string errand = {};  // of a steward's job
  std::string path = {};
};
std::optional<MemberName> member_of(const Job& job);

// --- records ---

inline constexpr const char* headers = "flows/";        // then the id: what the flow is
inline constexpr const char* open_ones = "flow-open/";  // then the id: there may be work to do

// Commits touch records in the order of their keys, in some stores one after the other: that a
// count ("c") comes before its mark of failure ("x") makes who counts see it.
enum class Part : char {
  count = 'c',   // of a join
  dead = 'd',    // of a member that is dead and keeps the flow from going on
  held = 'h',    // of a member that succeeded, and did not count while the flow was stopped
  join = 'j',    // of a join: how many it waits for, and what comes next
  launch = 'l',  // of a part with many first steps: how many are enqueued
  member = 'm',  // of a step that ended
  output = 'o',  // its result
  step = 's',    // of a step that a launch enqueues
  stop = 't',    // of the flow: why nothing is enqueued any more
  failed = 'x',  // of a join: some that it waited for failed
};
std::string key_of(std::string_view flow, Part part, std::string_view path = "");

}  // namespace assay::engine::detail
