#include "harness/remote/connectable.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace assay {
namespace {

constexpr std::string_view exec_prefix = "exec:";
constexpr std::string_view tcp_prefix = "tcp:";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

bool is_plain(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=@%+,").find(c) != std::string_view::npos;
  });
}

}  // namespace

bool is_connectable(std::string_view name) {
  return name.starts_with(exec_prefix) || name.starts_with(tcp_prefix);
}

Result<std::vector<std::string>> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!quote && is_blank(c)) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = 0;
    } else if (!quote && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote) return invalid(fmt::format("the quote {} is not closed in `{}`", quote, text));
  return words;
}

std::string join_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    if (is_plain(word)) {
      text += word;
      continue;
    }
    text += '\'';
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

Result<Address> address_from(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  Address address;
  bool sound = colon != std::string_view::npos && colon > 0;
  if (sound) {
    const std::string_view port = text.substr(colon + 1);
    const auto [end, failed] =
        std::from_chars(port.data(), port.data() + port.size(), address.port);
    sound = failed == std::errc{} && end == port.data() + port.size();
    address.host = text.substr(0, colon);
    if (address.host.starts_with('[') && address.host.ends_with(']'))
      address.host = address.host.substr(1, address.host.size() - 2);
  }
  if (!sound)
    return invalid(fmt::format("`{}` is not HOST:PORT, like 127.0.0.1:7000 or [::1]:7000", text));
  return address;
}

Result<Connectable> connectable_from(std::string_view name) {
  if (name.starts_with(tcp_prefix)) {
    auto address = address_from(name.substr(tcp_prefix.size()));
    if (!address) return address.error();
    if (address->port == 0) return invalid(fmt::format("`{}` names port 0, where nobody is", name));
    return Connectable(std::move(*address));
  }
  if (!name.starts_with(exec_prefix))
    return invalid(fmt::format("`{}` is neither exec:COMMAND nor tcp:HOST:PORT", name));
  auto words = split_words(name.substr(exec_prefix.size()));
  if (!words) return words.error();
  if (words->empty())
    return invalid("exec: names no command; write it like 'exec:python3 my_driver.py'");
  Command command;
  command.words = std::move(*words);
  return Connectable(std::move(command));
}

}  // namespace assay
