// Protocol schema: the wire of docs/protocol.md as data: objects, operations, names, limits. What
// checks an answer, the reference page and the JSON Schema are all made from it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace assay::protocol {

inline constexpr int version = 1;
inline constexpr std::size_t longest_line = 16 * 1024 * 1024;  // bytes, without the line's end
inline constexpr std::size_t deepest_nesting = 100;            // objects and lists in each other
inline constexpr std::size_t longest_namespace = 40;
inline constexpr std::string_view namespace_letters = "abcdefghijklmnopqrstuvwxyz0123456789_";

enum class Type {
  text,
  number,    // whole, of 64 bits
  seed,      // the same without a sign
  flag,      // true or false
  bytes,     // a text: base64 with padding
  instant,   // whole Unix milliseconds
  duration,  // whole milliseconds
  name,      // one of the names of the list `of`
  object,    // an object of the kind `of`
  objects,   // a list of those
  texts,     // a list of texts
  anything,  // an object of any content
  profile,   // what profile_from_json takes
};

enum class Need {
  required,
  optional,  // may be absent or null, which mean the same
};

struct Field {
  std::string_view name;
  Type type;
  Need need;
  std::string_view meaning;
  std::string_view of = {};  // of Type::name: a list of names; of object(s): a kind of object
};

struct Object {
  std::string_view name;
  std::string_view meaning;
  std::span<const Field> fields;
};

enum class Phase {
  life,       // of the driver as a whole
  operation,  // of a session: the request has `session` and `now_ms`, too
};

struct Operation {
  std::string_view name;
  Phase phase;
  std::span<const Field> request;  // beside `id` and `op`, and what the phase brings
  std::span<const Field> ok;
  std::string_view note;  // one sentence
};

struct Name {
  std::string_view name;
  std::string_view meaning;
};

struct Names {
  std::string_view name;  // "state"
  std::span<const Name> values;
};

std::span<const Object> objects();
std::span<const Operation> operations();
std::span<const Names> name_lists();

// What every operation of a session carries beside its own fields.
std::span<const Field> session_fields();

// Nothing where there is none of that name.
const Object* find_object(std::string_view name);
const Operation* find_operation(std::string_view name);
const Names* find_names(std::string_view name);

}  // namespace assay::protocol
