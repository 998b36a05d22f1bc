// Program: the built binary, run as a person or a script runs it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace assay::tests {

struct Ended {
  int status = -1;  // 128 + the signal's number where a signal ended it
  std::string out;
  std::string err;  // empty on a terminal: there it is part of `out`
};

struct Environment {
  std::string folder;                        // to run in
  std::map<std::string, std::string> extra;  // variables set on top of ours
  bool terminal = false;                     // stdout and stderr are a pseudo-terminal
  bool deaf = false;                         // nobody reads stdout
  std::string out_file = {};                 // where stdout goes, instead of to us
  std::vector<std::string> after = {};       // a signal once each of these was printed
  int signal = 2;                            // SIGINT
  bool nohup = false;                        // it is to ignore SIGHUP
};

Ended run_assay(const std::vector<std::string>& arguments, const Environment& environment);

std::string last_line(const std::string& text);
bool is_one_line(const std::string& text);

}  // namespace assay::tests
