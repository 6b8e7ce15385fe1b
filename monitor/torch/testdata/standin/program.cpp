// The process that tests look into. It loads stand-in libraries and obeys
// commands on its standard input, answering each with a line.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

typedef bool (*run_t)(const char*);
static std::vector<run_t> libraries;

#if defined(STATIC) || defined(LINKED)
extern "C" bool standin_run(const char* line);
#endif

#ifdef LINKED  // uses the allocator by name, so that the linker makes room for the pointer in here
#include <atomic>
namespace c10 {
namespace cuda {
namespace CUDACachingAllocator {
class CUDAAllocator;
extern std::atomic<CUDAAllocator*> allocator;
}  // namespace CUDACachingAllocator
}  // namespace cuda
}  // namespace c10
#endif

static void on_signal(int) {
  for (run_t run : libraries) run("take 0 0 1024 512");
}

// A child that was forked before its parent started anything starts by itself.
static void on_start(int) {
  for (run_t run : libraries) {
    run("init 1");
    run("reserve 0 0 20971520 0");
  }
}

static bool obey(const std::string& line) {
  char word[32] = {}, rest[4096] = {};
  sscanf(line.c_str(), "%31s %4095[^\n]", word, rest);
  std::string w = word;
  if (w == "load") {
    void* h = dlopen(rest, RTLD_NOW | RTLD_LOCAL);
    if (!h) {
      printf("%s ", dlerror());
      return false;
    }
    libraries.push_back((run_t)dlsym(h, "standin_run"));
    return libraries.back() != nullptr;
  }
  if (w == "map") {  // map a file as data, as an impostor would be
    int fd = open(rest, O_RDONLY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) return false;
    return mmap(nullptr, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED;
  }
  if (w == "unlink") return unlink(rest) == 0;
  if (w == "second") {  // give the next command to the second library alone
    return libraries.size() > 1 && libraries[1](rest);
  }
  if (w == "dumpable") return prctl(PR_SET_DUMPABLE, atoi(rest)) == 0;
  if (w == "setuid") return setgid(atoi(rest)) == 0 && setuid(atoi(rest)) == 0;
  if (w == "thread") {  // a thread of that name
    std::thread([name = std::string(rest)] {
      pthread_setname_np(pthread_self(), name.c_str());
      for (;;) pause();
    }).detach();
    usleep(20000);
    return true;
  }
  if (w == "fork") {  // prints the child, which allocates on SIGUSR1
    signal(SIGUSR1, on_signal);
    signal(SIGUSR2, on_start);
    pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) pause();
    }
    printf("%d ", child);
    return child > 0;
  }
  if (w == "orphan") {  // prints a grandchild whose parent has ended
    int fds[2];
    if (pipe(fds) != 0) return false;
    if (fork() == 0) {
      pid_t grandchild = fork();
      if (grandchild == 0) {
        close(fds[1]);
        alarm(120);
        for (;;) pause();
      }
      if (write(fds[1], &grandchild, sizeof grandchild) < 0) _exit(1);
      _exit(0);
    }
    pid_t pid = 0;
    if (read(fds[0], &pid, sizeof pid) < 0) return false;
    printf("%d ", pid);
    return true;
  }
  if (w == "exec") {
    execl("/proc/self/exe", "standin", rest[0] ? rest : nullptr, (char*)nullptr);
    return false;
  }
  bool ok = !libraries.empty();
  for (run_t run : libraries) ok = run(line.c_str()) && ok;
  return ok;
}

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  signal(SIGCHLD, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#if defined(STATIC) || defined(LINKED)
  libraries.push_back(standin_run);
#endif
#ifdef LINKED
  if (!c10::cuda::CUDACachingAllocator::allocator.load()) return 1;
#endif
  if (argc > 1 && !obey(std::string("load ") + argv[1])) return 1;
  printf("ready %d\n", getpid());
  char line[4096];
  while (fgets(line, sizeof line, stdin)) {
    bool ok = obey(line);
    printf("%s\n", ok ? "ok" : "failed");
  }
  return 0;
}
