// A Redis client's talk with its server: one command, one answer, but for those that subscribe or
// ask for silence.
#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "harness/proxy/detail/conversation.h"
#include "harness/proxy/detail/resp_replies.h"
#include "harness/proxy/detail/resp_requests.h"

namespace assay::proxy {
namespace {

enum class Effect { plain, subscribes, monitors, resets, hushes, replicates };

bool is_blocking(const RespRequests& request) {
  static const std::set<std::string> names = {"BLPOP",  "BRPOP",    "BRPOPLPUSH", "BLMOVE",
                                              "BLMPOP", "BZPOPMIN", "BZPOPMAX",   "BZMPOP",
                                              "WAIT",   "WAITAOF"};
  return names.contains(request.name()) || request.has_block_option();
}

// How the connection is to be; scripts are the server's, but nobody is the worse for one more.
bool is_preparing(const RespRequests& request) {
  static const std::set<std::string> names = {"AUTH", "HELLO", "SELECT", "READONLY"};
  static const std::set<std::string> of_client = {"SETNAME", "SETINFO",  "GETNAME", "ID",
                                                  "INFO",    "NO-EVICT", "NO-TOUCH"};
  if (request.name() == "CLIENT") return of_client.contains(request.second());
  if (request.name() == "SCRIPT") return request.second() == "LOAD" || request.second() == "EXISTS";
  return names.contains(request.name());
}

Effect effect_of(const RespRequests& request) {
  const std::string& name = request.name();
  if (name.ends_with("SUBSCRIBE")) return Effect::subscribes;
  if (name == "MONITOR") return Effect::monitors;
  if (name == "RESET") return Effect::resets;
  if (name == "CLIENT" && request.second() == "REPLY") return Effect::hushes;
  if (name == "SYNC" || name == "PSYNC") return Effect::replicates;
  return Effect::plain;
}

// There are three ways to subscribe, and three to end that: "subscribe", "punsubscribe", ...
std::size_t way_of(std::string_view verb) {
  if (verb.starts_with('p')) return 1;
  return verb.starts_with("ss") || verb.starts_with("sun") ? 2 : 0;
}

bool is_confirmation(std::string_view verb) { return verb.ends_with("subscribe"); }

bool is_message(std::string_view verb) {
  return verb == "message" || verb == "pmessage" || verb == "smessage";
}

// What a delivered command waits for.
struct Due {
  Effect effect = Effect::plain;
  std::optional<std::size_t> confirmations = {};  // of a subscription; unset: one for each there is
};

class RedisConversation final : public Conversation {
 public:
  Reading client(std::string_view bytes) override {
    const std::size_t size = requests_.take(bytes);
    if (requests_.is_broken())
      return refuse(size, requests_.is_tls() ? "the client begins with TLS, which hides what it "
                                               "asks: have it connect without"
                                             : "the client sends what is no Redis command");
    if (!requests_.is_whole()) return {size, Seen::nothing};
    if (requests_.words() == 0) return {size, Seen::pass};
    if (effect_of(requests_) == Effect::replicates)
      return refuse(size, "the client asks to be a replica, which has no requests and answers");
    return {size, Seen::request};
  }

  Reading server(std::string_view bytes) override {
    const std::size_t size = replies_.take(bytes);
    if (replies_.is_broken()) return refuse(size, "the server sends what is no Redis reply");
    if (!replies_.is_whole()) return {size, Seen::nothing};
    if (is_push() || due_.empty()) {
      note_confirmation();
      return {size, Seen::push};
    }
    return {size, take_reply()};
  }

  bool delivered() override {
    const Effect effect = effect_of(requests_);
    const bool is_silent = hush(effect);
    if (is_silent) return false;
    Due due{effect};
    if (effect == Effect::subscribes && requests_.words() > 1)
      due.confirmations = requests_.words() - 1;
    due_.push_back(due);
    return true;
  }

  std::size_t outstanding() const override { return due_.size(); }
  bool is_error() const override { return replies_.is_error(); }

  RequestKind kind() const override {
    const Effect effect = effect_of(requests_);
    if (effect == Effect::subscribes || effect == Effect::monitors) return RequestKind::subscribe;
    if (is_preparing(requests_)) return RequestKind::preparing;
    return is_blocking(requests_) ? RequestKind::blocking : RequestKind::plain;
  }

 private:
  // Whether CLIENT REPLY, this one or an earlier one, spares the server an answer.
  bool hush(Effect effect) {
    if (effect != Effect::hushes) return is_off_ || std::exchange(skips_, false);
    if (requests_.third() == "OFF") return is_off_ = true;
    if (requests_.third() == "SKIP") return skips_ = true;
    if (requests_.third() == "ON") is_off_ = false;
    return is_off_;
  }

  bool is_push() const {
    const std::string_view verb = replies_.first_text();
    const bool awaits_confirmation = !due_.empty() && due_.front().effect == Effect::subscribes;
    if (replies_.type() == '>') return !(awaits_confirmation && is_confirmation(verb));
    if (monitors_ && replies_.type() == '+')
      return !verb.empty() && verb[0] >= '0' && verb[0] <= '9';
    const bool is_subscribed = subscriptions_[0] + subscriptions_[1] + subscriptions_[2] > 0;
    return is_subscribed && replies_.type() == '*' && is_message(verb);
  }

  void note_confirmation() {
    const std::string_view verb = replies_.first_text();
    if (!is_confirmation(verb) || (replies_.type() != '*' && replies_.type() != '>')) return;
    const std::size_t way = way_of(verb);
    // The server counts channels and patterns together.
    const std::int64_t before =
        way == 2 ? subscriptions_[2] : subscriptions_[0] + subscriptions_[1];
    if (replies_.last_number() > before) ++subscriptions_[way];
    if (replies_.last_number() < before && subscriptions_[way] > 0) --subscriptions_[way];
  }

  Seen take_reply() {
    Due& due = due_.front();
    const bool is_aggregate = replies_.type() == '*' || replies_.type() == '>';
    if (due.effect == Effect::subscribes && is_aggregate) {
      if (!due.confirmations) {
        const auto there_are = subscriptions_[way_of(replies_.first_text())];
        due.confirmations = static_cast<std::size_t>(std::max<std::int64_t>(there_are, 1));
      }
      note_confirmation();
      if (--*due.confirmations > 0) return Seen::part;
    }
    if (due.effect == Effect::monitors && !replies_.is_error()) monitors_ = true;
    if (due.effect == Effect::resets) {
      monitors_ = is_off_ = skips_ = false;
      subscriptions_ = {};
    }
    due_.pop_front();
    return Seen::answer;
  }

  RespRequests requests_;
  RespReplies replies_;
  std::deque<Due> due_;
  std::array<std::int64_t, 3> subscriptions_ = {};
  bool monitors_ = false;
  bool is_off_ = false, skips_ = false;
};

// Calls `use` with each word of a whole command.
template <class Use>
void for_each_word(std::string_view request, Use use) {
  if (!request.starts_with('*')) return use(request.substr(0, request.find_first_of("\r\n")));
  for (std::size_t at = request.find("\r\n$"); at != request.npos;) {
    std::size_t size = 0;
    std::from_chars(request.data() + at + 3, request.data() + request.size(), size);
    const std::size_t begin = request.find('\n', at + 2) + 1;
    if (begin == 0 || size > request.size() - begin) return;
    use(request.substr(begin, size));
    at = begin + size + 2 < request.size() ? begin + size : request.npos;
  }
}

}  // namespace

std::unique_ptr<Conversation> redis_conversation() { return std::make_unique<RedisConversation>(); }

std::string describe_redis(std::string_view request) {
  constexpr std::size_t enough = 200;
  std::string text;
  bool is_secret = false;
  for_each_word(request, [&](std::string_view word) {
    if (text.size() > enough || is_secret) return;
    if (!text.empty()) text += ' ';
    text += word.substr(0, enough);
    // Behind this word there is a password.
    is_secret = word.size() == 4 && (word[0] | 32) == 'a' && (word[1] | 32) == 'u' &&
                (word[2] | 32) == 't' && (word[3] | 32) == 'h';
  });
  if (is_secret) text += " ***";
  return shortened(text);
}

std::string shortened(std::string_view text, std::size_t most) {
  constexpr std::string_view dots = "...";
  std::string line;
  for (const char c : text) {
    if (line.size() == most) {
      line.replace(most - dots.size(), dots.size(), dots);
      break;
    }
    const bool is_plain = c >= ' ' && c < 0x7f;
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_blank)
      line += is_plain ? c : '?';
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

}  // namespace assay::proxy
