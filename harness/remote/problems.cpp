#include "harness/remote/problems.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "harness/contract/base64.h"
#include "harness/contract/detail/json_writer.h"
#include "harness/contract/profile_json.h"
#include "harness/remote/schema.h"

namespace assay::protocol {

namespace {

using nlohmann::json;

// How the brackets of a line stand, seen without parsing it.
struct Brackets {
  std::size_t deepest = 0;
  std::size_t first_ends = std::string_view::npos;  // behind the first whole object or list
};

Brackets brackets_of(std::string_view line) {
  Brackets seen;
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      seen.deepest = std::max(seen.deepest, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0 && --depth == 0) {
      if (seen.first_ends == line.npos) seen.first_ends = i + 1;
    }
  }
  return seen;
}

std::size_t first_bad_byte(std::string_view text) {
  // Valid up to `good`, not up to `bad`; a cut within a letter is not valid, so letters are whole.
  std::size_t good = 0;
  while (good < text.size()) {
    const auto lead = static_cast<unsigned char>(text[good]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (!detail::is_utf8(text.substr(good, length))) return good;
    good += length;
  }
  return good;
}

// Built piece by piece and stopped early: a value may be megabytes long.
void append_shown(std::string& out, const json& value) {
  constexpr std::size_t enough = 200;
  if (out.size() > enough) return;
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    out += json(text.substr(0, enough)).dump(-1, ' ', false, json::error_handler_t::replace);
  } else if (value.is_structured()) {
    out += value.is_object() ? '{' : '[';
    bool first = true;
    for (const auto& [key, element] : value.items()) {
      if (out.size() > enough) return;
      if (!first) out += ',';
      first = false;
      if (value.is_object()) out += fmt::format("\"{}\":", key.substr(0, enough));
      append_shown(out, element);
    }
    out += value.is_object() ? '}' : ']';
  } else {
    out += value.dump();
  }
}

std::string shown(const json& value) {
  std::string text;
  append_shown(text, value);
  return excerpt(text);
}

std::string name_list(const Names& names) {
  std::string list;
  for (const Name& name : names.values)
    list += (list.empty() ? "one of " : ", ") + std::string(name.name);
  return list;
}

bool is_whole(const json& value) {
  if (value.is_number_unsigned())
    return value.get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  return value.is_number_integer();
}

std::string_view expectation(Type type) {
  switch (type) {
    case Type::text:
      return "a text";
    case Type::number:
      return "a whole number of 64 bits";
    case Type::seed:
      return "a whole number of 64 bits, not negative";
    case Type::flag:
      return "true or false";
    case Type::bytes:
      return "bytes as base64 with padding";
    case Type::instant:
      return "an instant: whole Unix milliseconds";
    case Type::duration:
      return "a length of time: whole milliseconds";
    case Type::objects:
    case Type::texts:
      return "a list";
    case Type::profile:
      return "a profile";
    case Type::name:
      return "a name";
    case Type::object:
    case Type::anything:
      return "an object";
  }
  return "";
}

class Reader {
 public:
  std::vector<Problem> take() && { return std::move(problems_); }

  void add(std::string path, std::string expected, std::string found) {
    if (problems_.size() < most_problems)
      problems_.push_back({std::move(path), std::move(expected), std::move(found)});
  }

  void request(const json& request) {
    if (!request.is_object()) return add("", "a JSON object", shown(request));
    const json* id = member(request, "id");
    if (id == nullptr || !is_whole(*id))
      add("id", "a whole number of 64 bits", id == nullptr ? "nothing" : shown(*id));
    const json* op = member(request, "op");
    const Operation* operation = op != nullptr && op->is_string()
                                     ? find_operation(op->get_ref<const std::string&>())
                                     : nullptr;
    if (operation == nullptr)
      return add("op", "an operation", op == nullptr ? "nothing" : shown(*op));
    if (operation->phase == Phase::operation) object(request, session_fields(), "");
    object(request, operation->request, "");
  }

  void answer(const json& answer, std::string_view op, std::int64_t id) {
    if (!answer.is_object()) return add("", "a JSON object", shown(answer));
    if (const json* told = member(answer, "id"); told == nullptr)
      add("id", fmt::format("{}, the request's", id), "nothing");
    else if (!is_whole(*told) || told->get<std::int64_t>() != id)
      add("id", fmt::format("{}, the request's", id), shown(*told));
    const json* ok = member(answer, "ok");
    const json* error = member(answer, "error");
    if ((ok == nullptr) == (error == nullptr))
      add("", "either `ok` or `error`", ok == nullptr ? "neither" : "both");
    if (ok != nullptr) success(*ok, find_operation(op));
    if (error != nullptr) object(*error, find_object("error")->fields, "error");
  }

 private:
  // Null and absent mean the same.
  static const json* member(const json& object, std::string_view name) {
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }

  void success(const json& ok, const Operation* operation) {
    object(ok, operation == nullptr ? std::span<const Field>() : operation->ok, "ok");
    if (operation == nullptr || operation->name != "hello" || !ok.is_object()) return;
    const json* spoken = member(ok, "protocol");
    if (spoken != nullptr && is_whole(*spoken) && spoken->get<std::int64_t>() != version)
      add("ok.protocol", std::to_string(version), shown(*spoken));
  }

  void object(const json& value, std::span<const Field> fields, const std::string& path) {
    if (!value.is_object()) return add(path, "an object", shown(value));
    for (const Field& field : fields) {
      if (problems_.size() >= most_problems) return;
      const std::string where = path + (path.empty() ? "" : ".") + std::string(field.name);
      if (const json* there = member(value, field.name))
        check(*there, field, where);
      else if (field.need == Need::required)
        add(where,
            field.type == Type::name ? name_list(*find_names(field.of))
                                     : std::string(expectation(field.type)),
            value.contains(field.name) ? "null" : "nothing");
    }
  }

  void check(const json& value, const Field& field, const std::string& path) {
    switch (field.type) {
      case Type::object:
        return object(value, find_object(field.of)->fields, path);
      case Type::objects:
      case Type::texts:
        return list(value, field, path);
      case Type::profile:
        return profile(value, path);
      case Type::name:
        return name(value, *find_names(field.of), path);
      default:
        if (!is_plain(value, field.type))
          add(path, std::string(expectation(field.type)), shown(value));
    }
  }

  static bool is_plain(const json& value, Type type) {
    switch (type) {
      case Type::text:
        return value.is_string();
      case Type::seed:
        return value.is_number_unsigned();
      case Type::flag:
        return value.is_boolean();
      case Type::anything:
        return value.is_object();
      case Type::bytes:
        return value.is_string() && from_base64(value.get_ref<const std::string&>());
      default:
        return is_whole(value);
    }
  }

  void list(const json& value, const Field& field, const std::string& path) {
    if (!value.is_array()) return add(path, "a list", shown(value));
    for (std::size_t i = 0; i < value.size() && problems_.size() < most_problems; ++i) {
      const std::string where = fmt::format("{}[{}]", path, i);
      if (field.type == Type::objects)
        object(value[i], find_object(field.of)->fields, where);
      else if (!value[i].is_string())
        add(where, "a text", shown(value[i]));
    }
  }

  void name(const json& value, const Names& names, const std::string& path) {
    if (value.is_string())
      for (const Name& known : names.values)
        if (known.name == value.get_ref<const std::string&>()) return;
    add(path, name_list(names), shown(value));
  }

  void profile(const json& value, const std::string& path) {
    if (!value.is_object()) return add(path, "an object", shown(value));
    const auto profile =
        profile_from_json(value.dump(-1, ' ', false, json::error_handler_t::replace));
    if (!profile) add(path, "a profile", excerpt(profile.error().message, 300));
  }

  std::vector<Problem> problems_;
};

// The line as JSON; what keeps it from being that is told to the reader, and nothing given.
std::optional<json> parsed(std::string_view line, Reader& reader) {
  if (line.empty()) return reader.add("", "JSON", "an empty line"), std::nullopt;
  if (line.size() > longest_line)
    return reader.add("", fmt::format("at most {} bytes", longest_line),
                      fmt::format("{} bytes: {}", line.size(), excerpt(line))),
           std::nullopt;
  if (!detail::is_utf8(line)) {
    const std::size_t at = first_bad_byte(line);
    return reader.add("", "UTF-8", fmt::format("another byte at offset {}: {}", at, excerpt(line))),
           std::nullopt;
  }
  const Brackets brackets = brackets_of(line);
  if (brackets.deepest > deepest_nesting)
    return reader.add("", fmt::format("nesting of at most {} levels", deepest_nesting),
                      fmt::format("{} levels: {}", brackets.deepest, excerpt(line))),
           std::nullopt;
  try {
    return json::parse(line);
  } catch (const json::parse_error& wrong) {
    if (brackets.first_ends != line.npos && json::accept(line.substr(0, brackets.first_ends)))
      reader.add("", "one JSON object a line",
                 fmt::format("more at offset {}: {}", brackets.first_ends,
                             excerpt(line.substr(brackets.first_ends))));
    else
      reader.add("", "JSON",
                 fmt::format("something else at offset {}: {}", wrong.byte > 0 ? wrong.byte - 1 : 0,
                             excerpt(line)));
  } catch (const json::exception& wrong) {  // a number that no type holds
    reader.add("", "JSON", fmt::format("{}: {}", excerpt(wrong.what()), excerpt(line)));
  }
  return std::nullopt;
}

}  // namespace

std::string told(const Problem& problem) {
  return fmt::format("{}: expected {}, found {}", problem.path.empty() ? "line" : problem.path,
                     problem.expected, problem.found);
}

bool nests_too_deep(std::string_view line) {
  return line.size() > 2 * deepest_nesting && brackets_of(line).deepest > deepest_nesting;
}

// U+0080 to U+009F: some terminals obey them.
static bool is_late_control(std::string_view letter) {
  return letter.size() == 2 && letter[0] == '\xc2' && static_cast<unsigned char>(letter[1]) < 0xa0;
}

std::string excerpt(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    const std::string_view letter = text.substr(i, length);
    const bool control = byte < 0x20 || byte == 0x7f || is_late_control(letter);
    const bool plain = !control && detail::is_utf8(letter);
    const std::string piece = plain ? std::string(letter) : fmt::format("\\x{:02x}", byte);
    columns += plain ? 1 : 4;
    if (columns > width) return out + "...";
    out += piece;
    i += plain ? length : 1;
  }
  return out;
}

template <class Read>
static std::vector<Problem> problems_of(std::string_view line, Read read) {
  Reader reader;
  try {
    if (const auto value = parsed(line, reader)) read(reader, *value);
  } catch (const std::exception& unforeseen) {
    reader.add("", "a line that can be read", excerpt(unforeseen.what()));
  }
  return std::move(reader).take();
}

std::vector<Problem> problems_of_answer(std::string_view op, std::string_view line,
                                        std::int64_t id) {
  return problems_of(line,
                     [&](Reader& reader, const json& answer) { reader.answer(answer, op, id); });
}

std::vector<Problem> problems_of_request(std::string_view line) {
  return problems_of(line, [](Reader& reader, const json& request) { reader.request(request); });
}

}  // namespace assay::protocol
