#include <iostream>

#include "harness/cli/commands.h"
#include "harness/cli/contract_page.h"
#include "harness/cli/usage.h"

namespace assay::cli {

int print_command(const PrintArguments& arguments) {
  if (arguments.what.empty()) return wrong_usage("print needs a page: `assay print contract`");
  if (arguments.what != "contract")
    return wrong_usage(
        unknown("page", arguments.what, {"contract"}, "the only page is `contract`").message);
  std::cout << contract_page();
  return 0;
}

}  // namespace assay::cli
