// Runs a fuzz target where there is no libFuzzer.
//
//   standalone FILE...               runs these inputs
//   standalone --corpus DIR [--runs N] [--seed N]
//                                    runs the folder's files, then N inputs made from them
//
// An input that crashes, or takes longer than a minute, is left in ./crash-HASH.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "harness/contract/clock.h"
#include "harness/contract/random.h"
#include "tests/fuzz/mutate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Sanitizers end a program in ways of their own, unless they are told to abort.
extern "C" const char* __asan_default_options() { return "abort_on_error=1"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1:print_stacktrace=1"; }

namespace {

using namespace assay;
namespace fs = std::filesystem;

constexpr unsigned too_long_seconds = 60;

// The input that is being run, for a handler that may not ask anybody else.
std::string_view current;

// Only what a signal handler may do.
void keep_current() {
  if (current.data() == nullptr) return;
  char name[] = "crash-0000000000000000";
  std::uint64_t hash = stable_hash(current);
  for (char* digit = name + sizeof name - 2; *digit != '-'; --digit, hash >>= 4)
    *digit = "0123456789abcdef"[hash & 15];
  const int file = ::open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  std::size_t done = 0;
  for (ssize_t written = 1; written > 0 && done < current.size(); done += std::size_t(written))
    written = ::write(file, current.data() + done, current.size() - done);
  ::close(file);
  const char told[] = "the input is in ";
  [[maybe_unused]] const ssize_t ignored =
      ::write(2, told, sizeof told - 1) + ::write(2, name, sizeof name - 1) + ::write(2, "\n", 1);
  current = {};
}

void on_signal(int signal) {
  keep_current();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void install_handlers() {
  // A stack that overflowed has no room for a handler.
  static char other_stack[64 * 1024];
  const stack_t stack{other_stack, 0, sizeof other_stack};
  ::sigaltstack(&stack, nullptr);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) {
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    ::sigaction(signal, &action, nullptr);
  }
}

void run(const std::string& input) {
  // An input of its own size on the heap: whoever reads past it is caught by a sanitizer.
  const std::vector<char> bytes(input.begin(), input.end());
  current = {bytes.data(), bytes.size()};
  ::alarm(too_long_seconds);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  current = {};
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    fmt::print(stderr, "cannot read {}\n", path.string());
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> corpus_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> corpus;
  for (const fs::path& path : paths) corpus.push_back(contents(path));
  return corpus;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  std::string folder;
  std::uint64_t runs = 0;
  std::optional<std::uint64_t> seed;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool more = i + 1 < argc;
    if (word == "--corpus" && more)
      folder = argv[++i];
    else if (word == "--runs" && more)
      runs = std::strtoull(argv[++i], nullptr, 10);
    else if (word == "--seed" && more)
      seed = std::strtoull(argv[++i], nullptr, 10);
    else
      files.push_back(word);
  }
  install_handlers();
  for (const std::string& file : files) run(contents(file));
  if (folder.empty()) return files.empty() ? 2 : 0;
  const auto corpus = corpus_in(folder);
  if (corpus.empty()) return fmt::print(stderr, "{} is empty\n", folder), 2;
  const Random root(seed ? *seed : fresh_seed());
  fmt::print("seed {}: {} inputs as they are, then {} made from them\n", root.seed(), corpus.size(),
             runs);
  std::fflush(stdout);
  const Stopwatch watch;
  for (const std::string& input : corpus) run(input);
  for (std::uint64_t i = 0; i < runs; ++i) {
    Random random = root.fork(std::to_string(i));
    run(fuzz::mutated(corpus, random));
  }
  fmt::print("nothing broke in {:.1f} s\n", watch.seconds());
}
