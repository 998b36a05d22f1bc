// Line: a connection of our own to a server, by which bytes are said and heard as they are: for
// what no client library lets us do.
#pragma once

#include <string>

#include "harness/contract/result.h"

namespace assay::faults {

class Line {
 public:
  // To where the url of a store leads. An error where nobody takes us in.
  static Result<Line> to(const std::string& url);
  Line(Line&& other) noexcept;
  Line& operator=(Line&& other) noexcept;
  ~Line();

  // False: it is broken.
  bool say(const std::string& bytes);
  // What comes next, at most so long; empty: nothing within ten seconds, or the end.
  std::string hear();

  bool is_open() const { return socket_ >= 0; }
  void close();

 private:
  explicit Line(int socket) : socket_(socket) {}
  int socket_;
};

// The user and the password that the url names; empty: none.
struct Login {
  std::string user, password;
};
Login login_in(const std::string& url);

}  // namespace assay::faults
