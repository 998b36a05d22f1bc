#include "harness/plan/token.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/contract/base64.h"
#include "harness/contract/random.h"
#include "harness/plan/detail/deflate.h"

namespace assay {

static constexpr std::string_view prefix = "assay1-";
static constexpr std::size_t head_size = 8;  // checksum of the rest, then its length

static void append_u32(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 0xff);
}

static std::uint32_t u32_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i)
    value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::string encode(const ReplayToken& token) {
  const std::string body = detail::deflated(plan_file_text(token));
  std::string bytes;
  append_u32(bytes, detail::checksum(body));
  append_u32(bytes, static_cast<std::uint32_t>(body.size()));
  return std::string(prefix) + base64url(bytes + body);
}

static std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const auto begin = text.find_first_not_of(space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

// "assay" and the number of a format: what tells a token from any other text.
static std::optional<std::string_view> format_of(std::string_view text) {
  const auto dash = text.find('-');
  if (!text.starts_with("assay") || dash == std::string_view::npos || dash <= 5)
    return std::nullopt;
  const std::string_view number = text.substr(5, dash - 5);
  if (number.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return number;
}

static Error altered() {
  return invalid("this assay token was altered: its checksum does not fit its content");
}

// The text of a plan file.
static Result<std::string> carried_by(std::string_view text) {
  text = trimmed(text);
  const auto format = format_of(text);
  if (!format) return invalid("this is not an assay token: one begins with \"assay1-\"");
  if (*format != "1")
    return invalid(fmt::format(
        "this is an assay token of format {}; this version reads format 1 only", *format));
  const std::string_view encoded = text.substr(prefix.size());
  auto bytes = from_base64url(encoded);
  const bool clean = bytes.has_value();
  // A cut within a group of four leaves loose bits; what is before them still tells the length.
  if (!clean) bytes = from_base64url(encoded.substr(0, encoded.size() / 4 * 4));
  if (!bytes) return altered();
  if (bytes->size() < head_size) return invalid("this assay token is cut short");
  const std::string_view body = std::string_view(*bytes).substr(head_size);
  if (body.size() < u32_at(*bytes, 4)) return invalid("this assay token is cut short");
  if (!clean || body.size() != u32_at(*bytes, 4) || detail::checksum(body) != u32_at(*bytes, 0))
    return altered();
  auto json = detail::inflated(body);
  if (!json) return altered();
  return std::move(*json);
}

Result<ReplayToken> decode_token(std::string_view text) {
  const auto json = carried_by(text);
  if (!json) return json.error();
  auto token = read_plan_file_text(*json);
  if (!token.ok()) return invalid("this assay token cannot be used: " + token.error().message);
  return token;
}

// Complete or not at all: nobody ever sees half a file.
static Status write_whole(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path part = path.string() + ".part";
  std::error_code error;
  {
    std::ofstream out(part, std::ios::binary);
    out << text << '\n' << std::flush;
    if (!out) return Error{ErrorCode::unavailable, fmt::format("cannot write {}", part.string())};
  }
  std::filesystem::rename(part, path, error);
  if (!error) return Done{};
  const std::string why = error.message();
  std::filesystem::remove(part, error);
  return Error{ErrorCode::unavailable, fmt::format("cannot write {}: {}", path.string(), why)};
}

Result<std::string> store_token(const std::string& text, const std::string& folder) {
  if (text.size() <= token_max_length) return text;
  const auto content = carried_by(text);
  if (!content) return content.error();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const auto path =
      std::filesystem::path(folder) / fmt::format("{:016x}.plan.json", stable_hash(*content));
  if (const auto written = write_whole(path, *content); !written.ok()) return written.error();
  return path.string();
}

Result<ReplayToken> load_token(const std::string& text_or_path) {
  std::error_code error;
  const bool file = std::filesystem::is_regular_file(text_or_path, error);
  if (!file && format_of(trimmed(text_or_path))) return decode_token(text_or_path);
  if (!file)
    return invalid(fmt::format("\"{}\" is neither an assay token nor a plan file", text_or_path));
  std::ifstream in(text_or_path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  if (!in) return Error{ErrorCode::unavailable, fmt::format("cannot read {}", text_or_path)};
  auto token = read_plan_file_text(content);
  if (!token.ok()) return invalid(fmt::format("{}: {}", text_or_path, token.error().message));
  return token;
}

}  // namespace assay
