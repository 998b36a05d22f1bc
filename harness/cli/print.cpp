#include <fmt/format.h>

#include <iostream>

#include "harness/cli/commands.h"
#include "harness/cli/contract_page.h"
#include "harness/cli/history_schema.h"
#include "harness/cli/protocol_page.h"
#include "harness/cli/protocol_schema.h"
#include "harness/cli/usage.h"
#include "reports/text.h"

namespace assay::cli {

namespace {
struct Page {
  const char* name;
  std::string (*text)();
};
constexpr Page pages[] = {
    {"contract", contract_page},
    {"history-schema", history_schema},
    {"protocol", protocol_page},
    {"protocol-schema", protocol_schema},
};
}  // namespace

int print_command(const PrintArguments& arguments) {
  std::vector<std::string> names;
  for (const Page& page : pages) {
    if (arguments.what == page.name) {
      std::cout << page.text();
      return 0;
    }
    names.push_back(page.name);
  }
  if (arguments.what.empty()) return wrong_usage("print needs a page: `assay print contract`");
  return wrong_usage(unknown("page", arguments.what, names,
                             fmt::format("the pages are {}", text::joined(names, ", ")))
                         .message);
}

}  // namespace assay::cli
