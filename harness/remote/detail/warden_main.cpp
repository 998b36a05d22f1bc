// The warden as a program: without a library, so that it is there at once. The names are those of
// warden_program.h, where the words that it is started with are made:
//
//   assay-warden LEASH REPORT IN OUT ERR FOLDER PATHS PATH... "" VARIABLES NAME=VALUE... "" ""
//   WORD...
//
// Its own environment is ours, not the program's: what is known by that is the program.
#include <sys/prctl.h>

#include "harness/remote/detail/system_calls.h"
#include "harness/remote/detail/warden.h"

#if defined(__x86_64__)
asm(".globl _start\n"
    "_start: xor %ebp, %ebp\n"
    "mov %rsp, %rdi\n"
    "and $-16, %rsp\n"
    "call assay_warden\n");
#elif defined(__aarch64__)
asm(".globl _start\n"
    "_start: mov x0, sp\n"
    "bl assay_warden\n");
#endif

namespace assay::detail {
namespace {

int number_in(const char* text) {
  int number = 0;
  for (; *text; ++text) number = number * 10 + (*text - '0');
  return number;
}

// So many words as the first says; the one after them becomes the end of the list.
char** list_at(char**& next) {
  const int size = number_in(*next++);
  char** const list = next;
  next += size;
  *next++ = nullptr;
  return list;
}

// Whoever looks for the program by its words is to find the program alone.
void hide(char* from, const char* end) {
  for (volatile char* at = from; at != end; ++at) *at = 0;
}

}  // namespace

// What the kernel left on the stack: how many words, the words, nothing, the environment.
extern "C" [[noreturn]] void assay_warden(long* stack) {
  const long count = stack[0];
  char** const words = reinterpret_cast<char**>(stack + 1);
  char** next = words + 1;
  WardenOrders orders;
  orders.leash = number_in(*next++);
  orders.report = number_in(*next++);
  for (int& stream : orders.streams) stream = number_in(*next++);
  orders.folder = **next ? *next : nullptr;
  ++next;
  orders.paths = list_at(next);
  orders.envp = list_at(next);
  orders.argv = next + 1;
  bare::prctl(PR_SET_NAME, bare::address("assay-warden"));
  const Ward ward = start_program(orders);
  const char* end = words[count - 1];
  while (*end) ++end;
  hide(words[1], end);
  guard(orders, ward);
}

}  // namespace assay::detail
