// teller: a program that is started under a clock of ours and tells what it sees, one line for each
// line that it is given. It knows nothing of Assay.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <thread>

namespace {

using Ns = std::int64_t;

Ns in_ns(const timespec& at) { return at.tv_sec * Ns{1'000'000'000} + at.tv_nsec; }
timespec from_ns(Ns ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

Ns told(clockid_t clock) {
  timespec at{};
  clock_gettime(clock, &at);
  return in_ns(at);
}

Ns of_the_kernel(clockid_t clock) {
  timespec at{};
  syscall(SYS_clock_gettime, clock, &at);
  return in_ns(at);
}

Ns now() { return told(CLOCK_REALTIME); }

// Milliseconds in every way there is to ask for them; time() has seconds only.
void tell_all() {
  timeval day{};
  gettimeofday(&day, nullptr);
  timespec got{};
  timespec_get(&got, TIME_UTC);
  time_t seconds = 0;
  const bool same = time(&seconds) == seconds;
  const auto chrono = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  std::printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
              now() / 1'000'000, told(CLOCK_REALTIME_COARSE) / 1'000'000,
              day.tv_sec * Ns{1000} + day.tv_usec / 1000, in_ns(got) / 1'000'000,
              static_cast<Ns>(chrono.count()), same ? static_cast<Ns>(seconds) : -1);
}

bool is_as_the_kernel_says(clockid_t clock) {
  const Ns before = of_the_kernel(clock), between = told(clock);
  return before <= between && between <= of_the_kernel(clock);
}

void tell_forked() {
  int ends[2];
  if (pipe(ends) != 0) return;
  const pid_t child = fork();
  if (child == 0) {
    const Ns at = now();
    _exit(write(ends[1], &at, sizeof at) == sizeof at ? 0 : 1);
  }
  Ns at = 0;
  const bool read_all = read(ends[0], &at, sizeof at) == sizeof at;
  waitpid(child, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
  std::printf("%" PRId64 "\n", read_all ? at / 1'000'000 : -1);
}

volatile Ns seen_in_handler = 0;
void on_signal(int) { seen_in_handler = now(); }

void tell_signalled() {
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  std::printf("%" PRId64 "\n", seen_in_handler / 1'000'000);
}

volatile int rings = 0;
volatile Ns until_due = 0, due = 0;
void on_alarm(int) {
  rings = rings + 1;
  seen_in_handler = now();
  until_due = due - seen_in_handler;
  if (until_due <= 0) return;
  itimerval again{};
  again.it_value.tv_usec = static_cast<suseconds_t>(until_due / 1000 + 1);
  setitimer(ITIMER_REAL, &again, nullptr);
}

// Takes SIGALRM only here, so that none is missed between a look and a wait.
void take_alarm() {
  sigset_t none;
  sigemptyset(&none);
  sigsuspend(&none);
}

// As Postgres does it: a timer, and in its handler a look at the clock whether anything is due;
// first rung too early. What the handler saw, and what everybody else sees.
void tell_alarmed() {
  rings = 0;
  struct sigaction action {
  }, shown{};
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
  sigaction(SIGALRM, nullptr, &shown);
  const Ns begun = now();
  due = begun + 30'000'000;
  until_due = 1;
  itimerval timer{};
  timer.it_value.tv_usec = 10'000;
  setitimer(ITIMER_REAL, &timer, nullptr);
  while (until_due > 0) take_alarm();
  std::printf("%s %s %s %" PRId64 "\n", shown.sa_handler == on_alarm ? "ours" : "another",
              rings > 1 ? "rang" : "silent", seen_in_handler >= due ? "due" : "early",
              (now() - begun) / 1'000'000);
}

// A timer of an hour: "set", then "early" when its handler has run five times and nothing was due,
// then what the handler saw.
void tell_hour() {
  struct sigaction action {};
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
  rings = 0;
  until_due = 1;
  due = now() + Ns{3'600'000'000'000};
  itimerval timer{};
  timer.it_value.tv_sec = 3600;
  setitimer(ITIMER_REAL, &timer, nullptr);
  std::printf("set\n");
  std::fflush(stdout);
  while (rings < 5 && until_due > 0) take_alarm();
  std::printf("%s\n", until_due > 0 ? "early" : "hastened");
  std::fflush(stdout);
  while (until_due > 0) take_alarm();
  std::printf("%" PRId64 "\n", seen_in_handler / 1'000'000);
}

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, taken = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
sem_t semaphore;
bool signalled = false;

int wait_for(const std::string& way, const timespec& until) {
  if (way == "semaphore") return sem_timedwait(&semaphore, &until) == 0 ? 0 : errno;
  if (way == "semaphore_clock")
    return sem_clockwait(&semaphore, CLOCK_REALTIME, &until) == 0 ? 0 : errno;
  if (way == "mutex") return pthread_mutex_timedlock(&taken, &until);
  if (way == "mutex_clock") return pthread_mutex_clocklock(&taken, CLOCK_REALTIME, &until);
  if (way == "sleep") {
    const int ended = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, nullptr);
    return ended == 0 ? ETIMEDOUT : ended;
  }
  int ended = 0;
  pthread_mutex_lock(&mutex);
  while (!signalled && ended == 0)
    ended = way == "condition_clock"
                ? pthread_cond_clockwait(&condition, &mutex, CLOCK_REALTIME, &until)
                : pthread_cond_timedwait(&condition, &mutex, &until);
  pthread_mutex_unlock(&mutex);
  return ended;
}

// "waiting" at once; when it is over, how it ended and when.
void wait_in_thread(const std::string& way, Ns ms) {
  const timespec until = from_ns(now() + ms * 1'000'000);
  std::printf("waiting\n");
  std::fflush(stdout);
  std::thread([way, until] {
    const int ended = wait_for(way, until);
    std::printf("%s %" PRId64 "\n", ended == ETIMEDOUT ? "timeout" : std::strerror(ended),
                now() / 1'000'000);
    std::fflush(stdout);
  }).detach();
}

// A condition that lives by CLOCK_MONOTONIC waits for some real milliseconds.
void tell_monotonic_wait() {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_t own;
  pthread_cond_init(&own, &attributes);
  const Ns until_ns = told(CLOCK_MONOTONIC) + 20'000'000;
  const timespec until = from_ns(until_ns);
  pthread_mutex_lock(&mutex);
  int ended = 0;
  while (ended == 0) ended = pthread_cond_timedwait(&own, &mutex, &until);
  pthread_mutex_unlock(&mutex);
  std::printf("%s\n",
              ended == ETIMEDOUT && told(CLOCK_MONOTONIC) >= until_ns ? "timeout" : "early");
}

// Readings whose fraction is not the one that belongs to their second.
void tell_torn(long readings) {
  long torn = 0;
  for (long i = 0; i < readings; ++i) {
    timespec at{};
    clock_gettime(CLOCK_REALTIME, &at);
    if (at.tv_nsec != at.tv_sec % 1000 * 1'000'000) ++torn;
  }
  std::printf("%ld\n", torn);
}

void tell_rate() {
  const Ns before = told(CLOCK_MONOTONIC), at = now(), after = told(CLOCK_MONOTONIC);
  std::printf("%" PRId64 " %" PRId64 " %" PRId64 "\n", before, at, after);
}

}  // namespace

int main() {
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, nullptr);
  sem_init(&semaphore, 0, 0);
  pthread_mutex_lock(&taken);
  for (std::string line; std::getline(std::cin, line); std::fflush(stdout)) {
    const auto space = line.find(' ');
    const std::string verb = line.substr(0, space);
    if (verb == "all") tell_all();
    if (verb == "kernel")
      std::printf("%d %d\n", is_as_the_kernel_says(CLOCK_REALTIME),
                  is_as_the_kernel_says(CLOCK_MONOTONIC));
    if (verb == "fork") tell_forked();
    if (verb == "program") {
      const int status = std::system("date +%s%3N");
      if (status != 0) std::printf("%d\n", status);
    }
    if (verb == "signal") tell_signalled();
    if (verb == "alarm") tell_alarmed();
    if (verb == "hour") tell_hour();
    if (verb == "monotonic") tell_monotonic_wait();
    if (verb == "rate") tell_rate();
    if (verb == "torn") tell_torn(std::stol(line.substr(space)));
    if (verb == "wake") {
      pthread_mutex_lock(&mutex);
      signalled = true;
      pthread_mutex_unlock(&mutex);
      pthread_cond_signal(&condition);
    }
    if (verb == "wait") {
      const auto next = line.find(' ', space + 1);
      wait_in_thread(line.substr(space + 1, next - space - 1), std::stoll(line.substr(next)));
    }
  }
  _exit(0);  // whoever still waits is left
}
