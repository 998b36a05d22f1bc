#include "reports/junit.h"

#include <fmt/format.h>

namespace assay {

// XML 1.0 has no way to write most control characters: they are left out, and bytes that are not
// UTF-8 become '?'.
static std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    std::size_t length = byte < 0x80                   ? 1
                         : byte >= 0xc2 && byte < 0xe0 ? 2
                         : byte >= 0xe0 && byte < 0xf0 ? 3
                         : byte >= 0xf0 && byte < 0xf5 ? 4
                                                       : 0;
    if (i + length > text.size()) length = 0;
    for (std::size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) length = 0;
    if (length == 0) {
      out += '?';
      ++i;
      continue;
    }
    if (byte == '&')
      out += "&amp;";
    else if (byte == '<')
      out += "&lt;";
    else if (byte == '>')
      out += "&gt;";
    else if (byte == '"')
      out += "&quot;";
    else if (byte >= 0x20 ? byte != 0x7f : byte == '\n' || byte == '\t')
      out += text.substr(i, length);
    i += length;
  }
  return out;
}

// In an attribute a line end would come back as a space.
static std::string attribute(std::string_view text) {
  std::string out;
  for (const char c : escaped(text)) out += c == '\n' ? std::string("&#10;") : std::string(1, c);
  return out;
}

enum class Outcome { passed, failure, error, skipped };

static Outcome outcome_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return Outcome::passed;
    case Verdict::fail:
      return Outcome::failure;
    case Verdict::not_applicable:
    case Verdict::waived:
      return Outcome::skipped;
    case Verdict::error:
    case Verdict::inconclusive:
    case Verdict::vacuous:
    case Verdict::missing:
      return Outcome::error;
  }
  return Outcome::error;
}

namespace {
struct Counts {
  int tests = 0, failures = 0, errors = 0, skipped = 0;

  void add(const Counts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
  }
};

class Suite {
 public:
  explicit Suite(const std::string& driver) : class_prefix_("assay." + driver) {}

  void add(std::string_view family, std::string_view name, Outcome outcome, std::string_view type,
           std::string_view message, std::string_view text = {}) {
    ++counts_.tests;
    cases_ +=
        fmt::format("    <testcase classname=\"{}{}{}\" name=\"{}\"", attribute(class_prefix_),
                    family.empty() ? "" : ".", attribute(family), attribute(name));
    if (outcome == Outcome::passed) {
      cases_ += "/>\n";
      return;
    }
    const bool skipped = outcome == Outcome::skipped;
    const std::string_view tag = skipped                       ? "skipped"
                                 : outcome == Outcome::failure ? "failure"
                                                               : "error";
    ++(skipped ? counts_.skipped : outcome == Outcome::failure ? counts_.failures : counts_.errors);
    cases_ += fmt::format(">\n      <{} message=\"{}\"", tag, attribute(message));
    if (!skipped) cases_ += fmt::format(" type=\"{}\"", attribute(type));
    cases_ += text.empty() ? "/>\n" : fmt::format(">{}</{}>\n", escaped(text), tag);
    cases_ += "    </testcase>\n";
  }

  const Counts& counts() const { return counts_; }
  const std::string& cases() const { return cases_; }

 private:
  std::string class_prefix_;
  std::string cases_;
  Counts counts_;
};
}  // namespace

static void add_rule(Suite& suite, const RuleReport& rule) {
  std::string text = rule.story;
  if (!rule.token.empty()) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += "token: " + rule.token + "\n";
  }
  suite.add(family_of(rule.id), rule.id, outcome_of(rule.verdict), name_of(rule.verdict),
            fmt::format("{}: {}", name_of(rule.verdict), rule.reason), text);
}

static void add_run(Suite& suite, const std::string& text) {
  const std::string first = text.substr(0, text.find('\n'));
  suite.add("", "run", text.empty() ? Outcome::passed : Outcome::error, "ERROR", first, text);
}

static std::string troubles_of(const auto& report) {
  std::string text;
  for (const std::string& trouble : report.troubles) text += trouble + "\n";
  for (const std::string& trouble : report.driver_troubles)
    text += "ERROR of the driver: " + trouble + "\n";
  return text;
}

static const char* const stopped = "stopped before the end: this report is partial\n";

static Suite suite_of(const Report& report) {
  Suite suite(report.driver);
  std::string text = troubles_of(report);
  if (!report.canary_convicted) text += "the canary was not convicted: this run is void\n";
  if (report.partial) text += stopped;
  add_run(suite, text);
  for (const RuleReport& rule : report.rules) add_rule(suite, rule);
  for (const NotTested& other : report.not_tested)
    suite.add(family_of(other.id), other.id, Outcome::skipped, "", "not tested: " + other.reason);
  return suite;
}

static Suite suite_of(const AllReport& report) {
  Suite suite("all");
  std::string text;
  for (const std::string& trouble : report.troubles) text += trouble + "\n";
  if (report.likeness) text += troubles_of(*report.likeness);
  if (report.likeness && report.likeness->partial) text += stopped;
  add_run(suite, text);
  if (report.likeness) add_rule(suite, report.likeness->rule);
  for (const SkippedDriver& one : report.skipped)
    suite.add("", one.driver, Outcome::skipped, "", "not certified: " + one.reason);
  return suite;
}

static std::string numbers(const Counts& counts, double seconds) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                     counts.tests, counts.failures, counts.errors, counts.skipped, seconds);
}

struct Whose {
  std::string driver;
  bool partial = false;
  const std::optional<DurabilityReport>* durability = nullptr;
};

// `report`: a Report or an AllReport.
static std::string text_of(const Suite& suite, const auto& report, double seconds,
                           const Whose& whose) {
  std::string out = fmt::format("  <testsuite name=\"assay {}\" {}>\n    <properties>\n",
                                attribute(whose.driver), numbers(suite.counts(), seconds));
  const auto property = [&](std::string_view name, std::string_view value) {
    out += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, attribute(value));
  };
  property("seed", std::to_string(report.seed));
  property("driver", whose.driver);
  property("profile", title(report.profile));
  property("level", name_of(report.level));
  property("assay_version", report.assay_version);
  property("certified", report.certified ? "true" : "false");
  property("partial", whose.partial ? "true" : "false");
  if (whose.durability && *whose.durability) {
    property("durability", shown(**whose.durability));
    for (const std::string& reason : not_shown(**whose.durability)) property("durability", reason);
  }
  return out + "    </properties>\n" + suite.cases() + "  </testsuite>\n";
}

static std::string document(const Counts& counts, double seconds, const std::string& suites) {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\" "
      "{}>\n{}</testsuites>\n",
      numbers(counts, seconds), suites);
}

// That a setting loses rules is no failure, unless it is the default one.
static void add_audit(Suite& suite, const AuditReport& audit) {
  for (const AuditCell& cell : audit.cells) {
    std::string text;
    for (const auto& [id, rule] : cell.rules)
      if (rule.convicted > 0) text += fmt::format("{}: {}\n", id, rule.story);
    const std::string name = fmt::format("{}, {}", cell.setting, name_of(cell.fault));
    if (cell.not_tried)
      suite.add("audit", name, Outcome::skipped, "", "not tried: " + *cell.not_tried);
    else if (cell.is_default && cell.lost() > 0)
      suite.add("audit", name, Outcome::failure, "FAIL", "the default setting loses rules", text);
    else
      suite.add("audit", name, Outcome::passed, "", "");
  }
}

std::string junit_xml(const Report& report, const AuditReport* audit) {
  Suite suite = suite_of(report);
  if (audit) add_audit(suite, *audit);
  return document(
      suite.counts(), report.seconds,
      text_of(suite, report, report.seconds, {report.driver, report.partial, &report.durability}));
}

std::string junit_xml(const AllReport& report) {
  Counts counts;
  std::string suites;
  for (const Report& driver : report.drivers) {
    const Suite suite = suite_of(driver);
    counts.add(suite.counts());
    suites +=
        text_of(suite, driver, driver.seconds, {driver.driver, driver.partial, &driver.durability});
  }
  const Suite own = suite_of(report);
  counts.add(own.counts());
  const auto& likeness = report.likeness;
  suites += text_of(own, report, likeness ? likeness->seconds : 0,
                    {"all", likeness && likeness->partial});
  return document(counts, report.seconds, suites);
}

}  // namespace assay
