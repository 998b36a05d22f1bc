#include "harness/remote/detail/warden_program.h"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern char** environ;

#ifdef ASSAY_WARDEN_PROGRAM
asm(".pushsection .rodata\n"
    "assay_warden_program:\n"
    ".incbin \"" ASSAY_WARDEN_PROGRAM
    "\"\n"
    "assay_warden_program_end:\n"
    ".byte 0\n"
    ".globl assay_warden_program, assay_warden_program_end\n"
    ".popsection\n");

extern "C" const char assay_warden_program[];
extern "C" const char assay_warden_program_end[];
#endif

namespace assay::detail {
namespace {

std::string_view program_bytes() {
#ifdef ASSAY_WARDEN_PROGRAM
  return {assay_warden_program,
          static_cast<std::size_t>(assay_warden_program_end - assay_warden_program)};
#else
  return {};
#endif
}

// The program as a file that is nowhere but in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) {
    constexpr unsigned to_be_executed = 0x10;  // MFD_EXEC; older kernels know no other files
    file_ = ::memfd_create("assay-warden", MFD_CLOEXEC | to_be_executed);
    if (file_ < 0) file_ = ::memfd_create("assay-warden", MFD_CLOEXEC);
    if (file_ >= 0 && ::write(file_, bytes.data(), bytes.size()) != std::ssize(bytes)) close();
  }
  ~MemoryFile() { close(); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  bool is_there() const { return file_ >= 0; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  void close() {
    if (file_ >= 0) ::close(std::exchange(file_, -1));
  }

  int file_ = -1;
};

// Its session, the signals that it takes and the descriptors that it has from the first moment on.
class Upbringing {
 public:
  explicit Upbringing(const WardenOrders& orders) {
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    sigset_t all;
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &all);
    ::posix_spawn_file_actions_init(&files_);
    for (const int file :
         {orders.leash, orders.report, orders.streams[0], orders.streams[1], orders.streams[2]})
      ::posix_spawn_file_actions_adddup2(&files_, file, file);  // it stays open
  }
  ~Upbringing() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Upbringing(const Upbringing&) = delete;
  Upbringing& operator=(const Upbringing&) = delete;

  std::optional<pid_t> start(const std::string& path, char** words, char** environment) {
    pid_t pid = -1;
    if (::posix_spawn(&pid, path.c_str(), &files_, &attributes_, words, environment) != 0)
      return std::nullopt;
    return pid;
  }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t files_;
};

// How many there are, they, and a place for the end of the list.
void append(char** list, std::vector<std::string>& words) {
  const std::size_t at = words.size();
  for (; *list; ++list) words.emplace_back(*list);
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), std::to_string(words.size() - at));
  words.emplace_back();
}

// As warden_main.cpp reads them.
std::vector<std::string> words_of(const WardenOrders& orders) {
  std::vector<std::string> words = {"assay-warden"};
  for (const int file :
       {orders.leash, orders.report, orders.streams[0], orders.streams[1], orders.streams[2]})
    words.push_back(std::to_string(file));
  words.emplace_back(orders.folder ? orders.folder : "");
  append(orders.paths, words);
  append(orders.envp, words);
  words.emplace_back();  // the entry before the program's words
  for (char** word = orders.argv; *word; ++word) words.emplace_back(*word);
  return words;
}

}  // namespace

std::optional<pid_t> spawn_warden(const WardenOrders& orders) {
  const std::string_view bytes = program_bytes();
  if (bytes.empty()) return std::nullopt;
  const MemoryFile program(bytes);
  if (!program.is_there()) return std::nullopt;
  std::vector<std::string> words = words_of(orders);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return Upbringing(orders).start(program.path(), argv.data(), ::environ);
}

}  // namespace assay::detail
