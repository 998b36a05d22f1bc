// RedisServer: a throwaway server of a test program, in a folder of its own and on a socket there;
// gone with us, however we end.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/remote/process.h"

namespace assay::redis_test {

class RedisServer {
 public:
  // With these words behind the command, and its data on a disk of that size (0: on that of /tmp),
  // for which we must be root. An error where there is no server program, or it does not work here.
  static Result<std::unique_ptr<RedisServer>> start(std::vector<std::string> settings = {},
                                                    int disk_mib = 0);
  ~RedisServer();

  std::string socket() const { return folder_ + "/redis.sock"; }
  std::string url() const { return "unix://" + socket(); }

  // Kills it, and starts it again on what it had saved.
  void kill();
  Status start_again();

  pid_t pid() const { return process_->pid(); }

 private:
  RedisServer(std::string folder, std::vector<std::string> settings, int disk_mib)
      : folder_(std::move(folder)), settings_(std::move(settings)), disk_mib_(disk_mib) {}

  std::string folder_;
  std::vector<std::string> settings_;
  int disk_mib_;
  std::unique_ptr<Process> process_;
};

// The program's one server; nothing where there is none, which `why_not` explains.
RedisServer* server();
std::string why_not();

}  // namespace assay::redis_test
