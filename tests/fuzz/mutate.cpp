#include "tests/fuzz/mutate.h"

#include <algorithm>

namespace assay::fuzz {
namespace {

constexpr std::size_t longest = 1024 * 1024;

// Values that stand in for others.
const std::vector<std::string> values = {"0",
                                         "-0",
                                         "1",
                                         "-1",
                                         "1.5",
                                         "1e3",
                                         "1e999",
                                         "-1e999",
                                         "1e-999",
                                         "00",
                                         "+1",
                                         "0x10",
                                         "NaN",
                                         "2147483647",
                                         "2147483648",
                                         "-2147483649",
                                         "9007199254740991",
                                         "9007199254740993",
                                         "253402300799999",
                                         "253402300800000",
                                         "9223372036854775807",
                                         "9223372036854775808",
                                         "-9223372036854775808",
                                         "-9223372036854775809",
                                         "18446744073709551615",
                                         "18446744073709551616",
                                         "99999999999999999999999999999999",
                                         "true",
                                         "false",
                                         "null",
                                         "\"\"",
                                         "\"a\"",
                                         "[]",
                                         "{}",
                                         "[null]",
                                         "[\"\"]",
                                         "{\"base64\":\"/w==\"}",
                                         "{\"base64\":\"!\"}",
                                         "[{\"base64\":\"/w==\"}]",
                                         "\"\\u0000\"",
                                         "\"\\ud800\"",
                                         "\"\\ud83d\\ude00\"",
                                         "\"\\uffff\"",
                                         "\"\\x\"",
                                         "\"/w==\"",
                                         "\"AA\"",
                                         "\"A===\"",
                                         "\"\x7f\"",
                                         "\"\xff\"",
                                         "\"\xc0\xaf\"",
                                         "\"\xed\xa0\x80\"",
                                         "\"\xe2\x82\"",
                                         "\"\xf4\x90\x80\x80\"",
                                         "\"\xef\xbb\xbf\""};

// Pieces that may stand anywhere.
const std::vector<std::string> pieces = {"{",
                                         "}",
                                         "[",
                                         "]",
                                         ",",
                                         ":",
                                         "\"",
                                         "\\",
                                         "\n",
                                         "\r\n",
                                         " ",
                                         "\t",
                                         std::string(1, '\0'),
                                         "\xff",
                                         "\xef\xbb\xbf",
                                         "\"id\":",
                                         "\"op\":",
                                         "\"ok\":{}",
                                         "\"error\":{}",
                                         "\"session\":\"w1\"",
                                         "\"job\":",
                                         "\"lease\":{}",
                                         "\"dead\":{}",
                                         "\"definite\":",
                                         "\"code\":\"lease_lost\"",
                                         "\"state\":\"done\"",
                                         "\"now_ms\":",
                                         "\"lease_ms\":",
                                         "\"run_at_ms\":",
                                         "\"capabilities\":[\"x\"]",
                                         "\"base\":\"weave\"",
                                         "/*",
                                         "//",
                                         "'"};

class Mutation {
 public:
  Mutation(const std::vector<std::string>& corpus, Random& random)
      : corpus_(corpus), random_(random), input_(any_of(corpus)) {}

  std::string result() && {
    for (std::size_t steps = 1 + random_.below(4); steps > 0; --steps) step();
    if (input_.size() > longest) input_.resize(longest);
    return std::move(input_);
  }

 private:
  const std::string& any_of(const std::vector<std::string>& all) {
    return all[random_.below(all.size())];
  }
  std::size_t anywhere() { return random_.below(input_.size() + 1); }
  std::size_t from(std::size_t at, std::size_t at_most) {
    return at == input_.size() ? 0 : random_.below(std::min(at_most, input_.size() - at)) + 1;
  }

  void step() {
    switch (random_.below(12)) {
      case 0:
        return flip();
      case 1:
        return splice();
      case 2:
        return truncate();
      case 3:
        return repeat();
      case 4:
        return insert(anywhere(), any_of(pieces));
      case 5:
        return remove();
      case 6:
        return nest();
      case 7:
        return move_a_line();
      default:
        return replace_value(any_of(values));
    }
  }

  void insert(std::size_t at, const std::string& text) { input_.insert(at, text); }

  void flip() {
    if (input_.empty()) return;
    char& byte = input_[random_.below(input_.size())];
    byte = static_cast<char>(byte ^ (1 << random_.below(8)));
  }

  // The beginning of one and the end of another.
  void splice() {
    const std::string& other = any_of(corpus_);
    input_ = input_.substr(0, anywhere()) + other.substr(random_.below(other.size() + 1));
  }

  void truncate() { input_.resize(anywhere()); }

  void repeat() {
    const std::size_t at = anywhere();
    const std::string part = input_.substr(at, from(at, 200));
    for (std::size_t times = 1 + random_.below(random_.below(20) == 0 ? 200 : 3); times > 0;
         --times)
      insert(at, part);
  }

  void remove() {
    const std::size_t at = anywhere();
    input_.erase(at, from(at, 40));
  }

  // Deep, and now and then deeper than a stack is.
  void nest() {
    const std::size_t depth = random_.below(40) == 0 ? 100'000 : 1 + random_.below(600);
    const bool lists = random_.below(2) == 0;
    std::string open, close;
    for (std::size_t i = 0; i < depth; ++i) open += lists ? "[" : "{\"a\":";
    for (std::size_t i = 0; i < depth; ++i) close += lists ? "]" : "}";
    replace_value(open + (lists ? "" : "0") + (random_.below(8) == 0 ? "" : close));
  }

  // A line of a conversation, or of another, at another place.
  void move_a_line() {
    const std::string& other = any_of(corpus_);
    const std::size_t begin = other.rfind('\n', random_.below(other.size() + 1));
    if (begin == std::string::npos) return;
    const std::size_t end = std::min(other.find('\n', begin + 1), other.size());
    const std::size_t at = input_.find('\n', anywhere());
    insert(at == std::string::npos ? input_.size() : at, other.substr(begin, end - begin));
  }

  // What stands behind a colon, a comma or a bracket, up to the next of them.
  void replace_value(const std::string& value) {
    const std::size_t before = input_.find_first_of(":[,", anywhere());
    if (before == std::string::npos) return insert(anywhere(), value);
    std::size_t end = input_.find_first_of(",]}\n", before + 1);
    if (end == std::string::npos) end = input_.size();
    input_.replace(before + 1, end - before - 1, value);
  }

  const std::vector<std::string>& corpus_;
  Random& random_;
  std::string input_;
};

}  // namespace

std::string mutated(const std::vector<std::string>& corpus, Random& random) {
  return Mutation(corpus, random).result();
}

}  // namespace assay::fuzz
