// Jobs of PyTorch's own allocator, compiled against its headers and run with its libraries:
// job NAME SECONDS TRUTH. Half a second passes before CUDA is started, and one at the end.
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <map>
#include <random>

#include "truth.h"

namespace torch_ = c10::cuda::CUDACachingAllocator;

std::vector<int64_t> ask(int device) { return figures(torch_::getDeviceStats(device)); }

#if TORCH_MAJOR >= 2
// What libtorch_cuda.so, which is not here, calls when it is loaded; no header has it.
namespace c10::cuda::_internal {
void setHasPrimaryContext(bool (*)(DeviceIndex));
}
#endif

struct Job {
  double seconds;
  std::string truth;
  int64_t end = 0;
  int devices = 0;
  std::mt19937 random{7};

  void start() {
    usleep(500000);
#if TORCH_MAJOR >= 2
    c10::cuda::_internal::setHasPrimaryContext([](c10::DeviceIndex) { return true; });
#endif
    devices = c10::cuda::device_count();
    torch_::init(devices);
    end = wall_clock() + (int64_t)(seconds * 1e9);
  }
  bool more() const { return wall_clock() < end; }
  unsigned below(unsigned n) { return random() % n; }
  size_t size() {
    static const size_t sizes[] = {700, 5000, 300000, 3000000, 40000000};
    return sizes[below(5)] + below(500);
  }
};

static c10::DataPtr take(size_t bytes) { return torch_::get()->allocate(bytes); }

// Stands still most of the time, grows, frees, gives the cache back.
static void staircase(Job& j) {
  Truth t(j.truth, true);
  std::vector<c10::DataPtr> live;
  j.start();
  t.note(0);
  for (int i = 0; j.more(); i++) {
    live.push_back(take(12345678 * (i % 7 + 1)));
    t.note(0);
    usleep(50000);
    t.note(0);
    if (i % 25 != 24) continue;
    while (!live.empty()) live.pop_back(), t.note(0);
    if (i % 50 == 49) torch_::emptyCache(), t.note(0);
  }
  while (!live.empty()) live.pop_back(), t.note(0);
  torch_::emptyCache();
  t.note(0);
  sleep(1);
  t.note(0);
  t.close(1);
}

// One step of a job that allocates and frees without a pattern. Every fifth block is also used by
// another stream, so that it stays active for a while after it was freed.
static void churn_step(Job& j, std::vector<c10::DataPtr>& live, size_t most, bool capturing = false) {
  if (!live.empty() && (live.size() > most || j.below(2))) {
    const size_t at = j.below(live.size());
    if (j.below(5) == 0) torch_::recordStream(live[at], c10::cuda::getStreamFromPool());
    std::swap(live[at], live.back());
    live.pop_back();
  } else {
    live.push_back(take(j.size()));
  }
  if (!capturing && j.below(1000) == 0) torch_::emptyCache();
}

// With release_lock_on_cudamalloc the figures of a call that is not done can be read while cudaMalloc
// is under way, so that state is noted too.
static Truth* noted_in_malloc;
static void note_in_malloc(Truth& t) {
  noted_in_malloc = &t;
  fakeDuringMalloc = [] { noted_in_malloc->note(0); };
}

static void churn(Job& j, bool unlocked = false) {
  Truth t(j.truth, true);
  if (unlocked) note_in_malloc(t);
  std::vector<c10::DataPtr> live;
  j.start();
  for (t.note(0); j.more(); usleep(j.below(400))) churn_step(j, live, 300), t.note(0);
  t.note(0);
  t.close(1);
}

// Four threads; in "turns" they take turns and every state is noted, else they run freely for a
// while and then all stand still for a while.
static void threads(Job& j, bool turns) {
  Truth t(j.truth, turns);
  std::mutex turn;
  std::atomic<bool> halt{false}, stop{false};
  std::atomic<int> busy{0};
  j.start();
  t.note(0);
  if (!turns) t.watch(1);
  std::vector<std::thread> all;
  for (unsigned n = 0; n < 4; n++)
    all.emplace_back([&, n] {
      Job mine = j;
      mine.random.seed(n);
      std::vector<c10::DataPtr> live;
      while (!stop) {
        if (turns) {
          std::lock_guard<std::mutex> hold(turn);
          churn_step(mine, live, 80);
          t.note(0);
        } else {
          busy++;
          while (!halt && !stop) churn_step(mine, live, 80);
          busy--;
          while (halt && !stop) usleep(200);
        }
        if (turns) usleep(mine.below(1500));
      }
      std::lock_guard<std::mutex> hold(turn);
      while (!live.empty()) live.pop_back(), t.note(0);
    });
  while (j.more()) {
    usleep(80000);
    halt = true;
    while (busy) usleep(100);
    usleep(120000);
    halt = false;
  }
  stop = true;
  for (auto& one : all) one.join();
  t.note(0);
  t.close(1);
}

// Fills all devices differently.
static void devices(Job& j) {
  Truth t(j.truth, true);
  j.start();
  std::vector<std::vector<c10::DataPtr>> live(j.devices);
  for (int d = 0; d < j.devices; d++) t.note(d);
  for (int i = 0; j.more(); i++, usleep(20000)) {
    const int d = i % j.devices;
    c10::cuda::set_device(d);
    live[d].push_back(take(9999999 * (1 + d * 3)));
    t.note(d);
    if ((int)live[d].size() <= 40 + 20 * d) continue;
    while (!live[d].empty()) live[d].pop_back(), t.note(d);
  }
  for (int d = 0; d < j.devices; d++) t.note(d);
  t.close(j.devices);
}

// Asks for more than there is, catches it and goes on. peaks resets peaks and counters besides.
static void greedy(Job& j, double fraction, bool peaks, bool unlocked = false) {
  Truth t(j.truth, true);
  if (unlocked) note_in_malloc(t);
  std::vector<c10::DataPtr> live;
  j.start();
  if (fraction < 1) torch_::setMemoryFraction(fraction, 0);
  long ooms = 0;
  for (t.note(0); j.more(); usleep(j.below(4000))) {
    try {
      live.push_back(take(j.size() * (1 + j.below(4))));
    } catch (const c10::Error& e) {
      ooms++;
      t.note(0);
      for (size_t n = live.size() / 2; n; n--) {
        std::swap(live[j.below(live.size())], live.back());
        live.pop_back();
        t.note(0);
      }
    }
    t.note(0);
    if (peaks && j.below(10) == 0) torch_::resetPeakStats(0), t.note(0);
    if (peaks && j.below(50) == 0) torch_::resetAccumulatedStats(0), t.note(0);
  }
  t.note(0);
  printf("%ld out of memory\n", ooms);
  t.close(1);
}

#if TORCH_MAJOR >= 2
static void begin(c10::cuda::MempoolId_t pool) { torch_::beginAllocateToPool(0, pool, [](cudaStream_t) { return true; }); }
static void end(c10::cuda::MempoolId_t pool) { torch_::endAllocateToPool(0, pool); }
static void release(c10::cuda::MempoolId_t pool) { torch_::releasePool(0, pool); }
#else
static void begin(c10::cuda::MempoolId_t pool) { torch_::notifyCaptureBegin(0, 1, pool); }
static void end(c10::cuda::MempoolId_t) { torch_::notifyCaptureEnd(0, 1); }
static void release(c10::cuda::MempoolId_t pool) { torch_::notifyCaptureDestroy(0, pool); }
#endif

// Private pools, as CUDA graphs have: what is allocated while a stream is captured goes into one.
static void graphs(Job& j) {
  Truth t(j.truth, true);
  std::vector<c10::DataPtr> live;
  std::map<unsigned, std::vector<c10::DataPtr>> pools;
  j.start();
  t.note(0);
  for (unsigned i = 1; j.more(); i++) {
    void* graph;
    cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal);
    begin({0, i});
    for (int k = 0; k < 12; k++, usleep(2000)) churn_step(j, pools[i], 8, true), t.note(0);
    end({0, i});
    cudaStreamEndCapture(nullptr, &graph);
    for (int k = 0; k < 20; k++, usleep(5000)) churn_step(j, live, 30), t.note(0);
    if (pools.size() < 6) continue;
    const auto oldest = pools.begin();
    release({0, oldest->first});
    t.note(0);
    for (auto& p = oldest->second; !p.empty(); p.pop_back(), t.note(0)) p.back().clear(), t.note(0);
    pools.erase(oldest);
    torch_::emptyCache();
    t.note(0);
  }
  t.note(0);
#if TORCH_MAJOR >= 2
  int own = 0;
  for (const auto& s : torch_::snapshot().segments) own += s.owner_private_pool_id != c10::cuda::MempoolId_t{0, 0};
  printf("%d segments in private pools\n", own);
#endif
  t.close(1);
}

// Forks before CUDA is started, which is allowed: that child fills the device by itself. Then forks
// three more that have no more than a copy of the figures.
static void forks(Job& j) {
  const pid_t early = fork();
  if (early == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    j.truth.insert(j.truth.size() - 6, "_child");
    j.random.seed(5);
    churn(j);
    _exit(0);
  }
  j.start();
  Truth t(j.truth, true);
  std::vector<c10::DataPtr> live;
  t.note(0);
  for (int i = 0; j.more(); i++, usleep(20000)) {
    live.push_back(take(j.size()));
    t.note(0);
    if (i != 10 && i != 50 && i != 100) continue;
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) pause();
    }
    printf("copy %d\n", child);
    fflush(stdout);
  }
  t.note(0);
  waitpid(early, nullptr, 0);
  t.note(0);
  t.close(1);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Job j{atof(argv[2]), argv[3]};
  const std::map<std::string, void (*)(Job&)> jobs = {
      {"staircase", staircase},
      {"churn", [](Job& j) { churn(j); }},
      {"unlocked", [](Job& j) { churn(j, true); }},
      {"greedy_unlocked", [](Job& j) { greedy(j, 1, false, true); }},
      {"turns", [](Job& j) { threads(j, true); }},
      {"threads", [](Job& j) { threads(j, false); }},
      {"devices", devices},
      {"greedy", [](Job& j) { greedy(j, 1, false); }},
      {"fraction", [](Job& j) { greedy(j, 0.01, false); }},
      {"peaks", [](Job& j) { greedy(j, 1, true); }},
      {"graphs", graphs},
      {"forks", forks},
      {"idle", [](Job& j) { sleep((unsigned)j.seconds); Truth(j.truth, true).close(0); }},
      {"started", [](Job& j) { j.start(); sleep((unsigned)j.seconds); Truth(j.truth, true).close(0); }},
  };
  const auto job = jobs.find(argv[1]);
  if (job == jobs.end()) return 2;
  job->second(j);
  return 0;
}
