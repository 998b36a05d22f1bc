// System calls without a library around them, for the warden: as a program of its own it has none,
// and as a copy of a program with many threads it may not use that one's. Each gives what the
// kernel gives: an error is its number, negated.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <unistd.h>

#include <cerrno>
#endif

namespace assay::detail::bare {

inline long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  asm volatile("syscall"
               : "=a"(result)
               : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return x0;
#else
  const long result = ::syscall(number, a, b, c, d, e);
  return result < 0 ? -errno : result;
#endif
}

inline long address(const void* at) { return reinterpret_cast<long>(at); }

[[noreturn]] inline void exit(int status) {
  for (;;) call(SYS_exit_group, status);
}
inline pid_t fork() { return static_cast<pid_t>(call(SYS_clone, SIGCHLD)); }
inline pid_t getpid() { return static_cast<pid_t>(call(SYS_getpid)); }
inline pid_t getppid() { return static_cast<pid_t>(call(SYS_getppid)); }
inline long kill(pid_t pid, int signal) { return call(SYS_kill, pid, signal); }
inline pid_t wait(pid_t pid, int* status, int how) {
  return static_cast<pid_t>(call(SYS_wait4, pid, address(status), how));
}
inline long setsid() { return call(SYS_setsid); }
inline long own_group() { return call(SYS_setpgid); }
inline long prctl(int what, long value) { return call(SYS_prctl, what, value); }

inline int open(const char* path, int how) {
  return static_cast<int>(call(SYS_openat, AT_FDCWD, address(path), how));
}
inline long close(int file) { return call(SYS_close, file); }
inline long close_range(unsigned from, unsigned to, unsigned how) {
  return call(SYS_close_range, from, to, how);
}
inline long read(int file, void* bytes, unsigned long size) {
  return call(SYS_read, file, address(bytes), static_cast<long>(size));
}
inline long write(int file, const void* bytes, unsigned long size) {
  return call(SYS_write, file, address(bytes), static_cast<long>(size));
}
inline long pipe(int* ends) { return call(SYS_pipe2, address(ends), O_CLOEXEC); }
inline long copy(int file, int to) { return call(SYS_dup3, file, to); }  // they differ
inline long poll(pollfd* files, unsigned count) { return call(SYS_ppoll, address(files), count); }

inline long chdir(const char* path) { return call(SYS_chdir, address(path)); }
inline int exec(const char* path, char** argv, char** envp) {
  return static_cast<int>(call(SYS_execve, address(path), address(argv), address(envp)));
}

// Signals as a set of bits; 64 of them.
using Signals = unsigned long;
inline long block(Signals these) {
  return call(SYS_rt_sigprocmask, SIG_SETMASK, address(&these), 0, sizeof these);
}
inline int file_of(Signals these, int how) {
  return static_cast<int>(call(SYS_signalfd4, -1, address(&these), sizeof these, how));
}
inline void back_to_default(int signal) {
  const unsigned long action[4] = {};  // no handler, no flags, no mask
  call(SYS_rt_sigaction, signal, address(action), 0, sizeof(Signals));
}

}  // namespace assay::detail::bare
