// PostgresServer: a throwaway server of one test program, started natively and gone with it,
// however that ends. Commits do not wait for a disk.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/remote/process.h"

namespace assay::pg_test {

class PostgresServer {
 public:
  // An error where there are no server programs, or they do not work here.
  static Result<std::unique_ptr<PostgresServer>> start();
  ~PostgresServer();

  // A copy of this one as it is now, with settings of its own.
  struct Copy {
    std::vector<std::string> settings = {};  // name=value
    bool standby = false;                    // it follows this one
    int data_mib = 0;  // its tables lie on a disk of this size; 0: on that of /tmp
    int log_mib = 0;   // its log of changes does
  };
  Result<std::unique_ptr<PostgresServer>> copy(const Copy& wanted) const;

  // The folder of its socket serves for its host.
  std::string url(const std::string& options = "") const;

  // A user whose connections need the password `s3cret`, once made. Over TCP.
  std::string url_with_password(const std::string& password) const;

 private:
  explicit PostgresServer(std::string folder) : folder_(std::move(folder)) {}

  static Result<std::unique_ptr<PostgresServer>> with_folder();
  Status launch(const std::vector<std::string>& settings, const std::vector<std::string>& before);

  std::string folder_;
  int port_ = 0;
  std::unique_ptr<Process> process_;
};

// The program's one server; nothing where there is none, which `why_not` explains.
PostgresServer* server();
std::string why_not();

}  // namespace assay::pg_test
