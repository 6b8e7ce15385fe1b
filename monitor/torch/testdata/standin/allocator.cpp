// A stand-in for libc10_cuda.so: the same mangled names, class names and
// member types as PyTorch's allocator, one build per release layout, and
// functions that the program beside it calls by name.
//
// Build with -DTAIL=0..6 for the tails A B C D E E' F, -DVIRTUAL_BASE for a
// device class behind a virtual base, -DHIDDEN for 1.x, -DBACKEND=1..3 for
// cudaMallocAsync, a pluggable allocator and a class nobody knows.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <time.h>
#include <unordered_map>
#include <vector>

#ifndef TAIL
#define TAIL 4
#endif
#ifndef BACKEND
#define BACKEND 0
#endif
#define EXPORT __attribute__((visibility("default")))

namespace {

struct Stat {
  int64_t current = 0, peak = 0, allocated = 0, freed = 0;
  void increase(int64_t n) {
    current += n;
    allocated += n;
    if (current > peak) peak = current;
  }
  void decrease(int64_t n) {
    current -= n;
    freed += n;
  }
};
struct StatArray {
  Stat all, small, large;
  void increase(bool is_small, int64_t n) {
    all.increase(n);
    (is_small ? small : large).increase(n);
  }
  void decrease(bool is_small, int64_t n) {
    all.decrease(n);
    (is_small ? small : large).decrease(n);
  }
};
struct FlatHashMap {
  void* entries = this;
  uint64_t slots = 0;
  int8_t shift = 63, lookups = 3;
  float load = 0.5f;
  uint64_t count = 0;
};
static_assert(sizeof(FlatHashMap) == 32, "as ska::flat_hash_map");

struct DeviceStats {
  StatArray allocation, segment, active, inactive_split;
  StatArray allocated_bytes, reserved_bytes;
#if TAIL == 6
  FlatHashMap reserved_bytes_by_private_pools;
#endif
  StatArray active_bytes, inactive_split_bytes;
#if TAIL >= 2
  StatArray requested_bytes;
#endif
  int64_t num_alloc_retries = 0, num_ooms = 0;
#if TAIL >= 1
  Stat oversize_allocations, oversize_segments;
#endif
#if TAIL >= 3
  int64_t num_sync_all_streams = 0;
#endif
#if TAIL >= 4
  int64_t num_device_alloc = 0, num_device_free = 0;
#endif
#if TAIL >= 5
  int64_t num_oom_rejections = 0;
#endif
#if TAIL >= 1
  int64_t max_split_size = -1;
#endif
};

#ifdef VIRTUAL_BASE
struct DeviceBase {
  virtual ~DeviceBase() = default;
};
struct DeviceCachingAllocator : DeviceBase {
  mutable std::recursive_mutex mutex;
  int64_t device_index = 0;
#else
struct DeviceCachingAllocator {
  mutable std::recursive_mutex mutex;
#endif
  DeviceStats stats;
  uint64_t pools[96] = {};
  struct {
    char name[256] = {};
    unsigned char uuid[16] = {};
    char rest[700] = {};
  } device_prop;

  void reserve(bool small, int64_t bytes, bool expandable) {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    if (!expandable) stats.segment.increase(small, 1);
    stats.reserved_bytes.increase(small, bytes);
  }
  void release(bool small, int64_t bytes, bool expandable) {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    if (!expandable) stats.segment.decrease(small, 1);
    stats.reserved_bytes.decrease(small, bytes);
  }
  void take(bool small, int64_t bytes, int64_t requested) {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    stats.allocation.increase(small, 1);
    stats.allocated_bytes.increase(small, bytes);
    stats.active.increase(small, 1);
    stats.active_bytes.increase(small, bytes);
#if TAIL >= 2
    stats.requested_bytes.increase(small, requested);
#endif
  }
  void give(bool small, int64_t bytes, int64_t requested) {
    std::lock_guard<std::recursive_mutex> guard(mutex);
    stats.allocation.decrease(small, 1);
    stats.allocated_bytes.decrease(small, bytes);
    stats.active.decrease(small, 1);
    stats.active_bytes.decrease(small, bytes);
#if TAIL >= 2
    stats.requested_bytes.decrease(small, requested);
#endif
  }
};

struct alignas(64) AlignedMutex {
  std::mutex m;
};
struct ClockConverter {
  int64_t pairs[1001][2];
  ClockConverter() {
    for (auto& p : pairs) {
      timespec t;
      clock_gettime(CLOCK_REALTIME, &t);
      p[0] = t.tv_sec * 1000000000ll + t.tv_nsec;
      p[1] = (int64_t)__builtin_ia32_rdtsc();
    }
  }
};
using Devices = std::vector<std::unique_ptr<DeviceCachingAllocator>>;

}  // namespace

#ifdef HIDDEN
// 1.x: an object without virtual functions and without an exported name.
struct THCCachingAllocator {
  std::mutex mutex;
#if TAIL == 0
  std::unordered_map<void*, void*> allocated_blocks;
#else
  FlatHashMap allocated_blocks;
#endif
  std::mutex cuda_free_mutex;
  Devices device_allocator;
};
__attribute__((visibility("hidden"))) THCCachingAllocator caching_allocator;
static Devices& devices() { return caching_allocator.device_allocator; }
#else

namespace c10 {
namespace cuda {
namespace CUDACachingAllocator {
class CUDAAllocator {
 public:
  virtual ~CUDAAllocator() = default;
  virtual void* allocate(size_t) { return nullptr; }
};
EXPORT extern std::atomic<CUDAAllocator*> allocator;
std::atomic<CUDAAllocator*> allocator;

namespace Native {
class NativeCachingAllocator : public CUDAAllocator {
 public:
#if TAIL == 2
  std::mutex mutex;
  FlatHashMap allocated_blocks;
  ClockConverter clock_converter;
#else
  AlignedMutex mutexes[67];
  FlatHashMap allocated_blocks[67];
  ClockConverter clock_converter;
#if TAIL >= 4
  bool record_history = false;
  uint64_t annotation_buffer[8] = {1};  // its greatest length first
#endif
#endif
  Devices device_allocator;
};
}  // namespace Native
namespace CudaMallocAsync {
struct CudaMallocAsyncAllocator : public CUDAAllocator {};
}  // namespace CudaMallocAsync
}  // namespace CUDACachingAllocator
}  // namespace cuda
}  // namespace c10

namespace torch {
namespace cuda {
namespace CUDAPluggableAllocator {
struct CUDAPluggableAllocator : public c10::cuda::CUDACachingAllocator::CUDAAllocator {};
}  // namespace CUDAPluggableAllocator
}  // namespace cuda
}  // namespace torch
namespace somebody {
struct OwnAllocator : public c10::cuda::CUDACachingAllocator::CUDAAllocator {};
}  // namespace somebody

static c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator native;
static c10::cuda::CUDACachingAllocator::CudaMallocAsync::CudaMallocAsyncAllocator async_allocator;
static torch::cuda::CUDAPluggableAllocator::CUDAPluggableAllocator pluggable;
static somebody::OwnAllocator own;
static Devices& devices() { return native.device_allocator; }

static struct Initializer {
  Initializer() {
#ifdef LATE
    return;
#endif
    c10::cuda::CUDACachingAllocator::CUDAAllocator* all[] = {&native, &async_allocator, &pluggable, &own};
    c10::cuda::CUDACachingAllocator::allocator = all[BACKEND];
  }
} initializer;
#endif

static std::atomic<bool> hammering{false};
static std::vector<std::thread> hammers;

static void print_array(const char* name, const StatArray& a) {
  printf("%s=%lld,%lld,%lld,%lld ", name, (long long)a.all.current, (long long)a.all.peak, (long long)a.all.allocated,
         (long long)a.all.freed);
}

// standin_run obeys one command line; false when it does not know it.
extern "C" EXPORT bool standin_run(const char* line) {
  char word[32] = {};
  long long d = 0, a = 0, b = 0, c = 0;
  int n = sscanf(line, "%31s %lld %lld %lld %lld", word, &d, &a, &b, &c);
  std::string w = word;
  (void)n;
  if (w == "init") {  // init DEVICES
    for (long long i = 0; i < d; i++) devices().emplace_back(new DeviceCachingAllocator());
    return true;
  }
#ifndef HIDDEN
  if (w == "backend") {  // backend NUMBER: put another allocator in place
    c10::cuda::CUDACachingAllocator::CUDAAllocator* all[] = {&native, &async_allocator, &pluggable, &own};
    c10::cuda::CUDACachingAllocator::allocator = all[d & 3];
    return true;
  }
#endif
  if (d < 0 || (w != "join" && w != "stop" && (size_t)d >= devices().size())) return false;
  if (w == "stop") {
    hammering = false;
    for (auto& t : hammers) t.join();
    hammers.clear();
    return true;
  }
  DeviceCachingAllocator& dev = *devices()[d];
  if (w == "reserve") {  // reserve DEVICE SMALL BYTES EXPANDABLE
    dev.reserve(a, b, c);
  } else if (w == "release") {
    dev.release(a, b, c);
  } else if (w == "take") {  // take DEVICE SMALL BYTES REQUESTED
    dev.take(a, b, c);
  } else if (w == "give") {
    dev.give(a, b, c);
  } else if (w == "split") {  // split DEVICE BYTES
    std::lock_guard<std::recursive_mutex> guard(dev.mutex);
    dev.stats.inactive_split.increase(false, 1);
    dev.stats.inactive_split_bytes.increase(false, a);
  } else if (w == "retries") {  // retries DEVICE RETRIES OOMS
    std::lock_guard<std::recursive_mutex> guard(dev.mutex);
    dev.stats.num_alloc_retries = a;
    dev.stats.num_ooms = b;
  } else if (w == "resetpeak") {
    std::lock_guard<std::recursive_mutex> guard(dev.mutex);
    for (StatArray* s : {&dev.stats.allocated_bytes, &dev.stats.reserved_bytes})
      for (Stat* p : {&s->all, &s->small, &s->large}) p->peak = p->current;
  } else if (w == "resetaccumulated") {
    std::lock_guard<std::recursive_mutex> guard(dev.mutex);
    StatArray* s = &dev.stats.allocation;
    for (int i = 0; i < 6; i++, s++)
      for (Stat* p : {&s->all, &s->small, &s->large}) p->allocated = p->freed = 0;
  } else if (w == "break") {  // make the pools' sum wrong
    std::lock_guard<std::recursive_mutex> guard(dev.mutex);
    dev.stats.allocated_bytes.all.current += 512;
  } else if (w == "uuid") {  // uuid DEVICE followed by 32 digits and the name
    char digits[33] = {}, name[200] = {};
    if (sscanf(line, "%*s %*d %32s %199[^\n]", digits, name) != 2) return false;
    for (int i = 0; i < 16; i++) {
      unsigned v;
      sscanf(digits + 2 * i, "%2x", &v);
      dev.device_prop.uuid[i] = (unsigned char)v;
    }
    strncpy(dev.device_prop.name, name, 255);
  } else if (w == "hold") {  // hold DEVICE MILLISECONDS in another thread
    std::atomic<bool> held{false};
    std::thread([&dev, a, &held] {
      std::lock_guard<std::recursive_mutex> guard(dev.mutex);
      held = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(a));
    }).detach();
    while (!held) std::this_thread::yield();
  } else if (w == "hammer") {  // hammer DEVICE THREADS WORK: allocated is twice requested throughout
    hammering = true;
    for (long long t = 0; t < a; t++)
      hammers.emplace_back([&dev, t, b] {
        volatile long long work = 0;
        for (int64_t i = 1; hammering; i = i % 64 + 1) {
          bool small = (i + t) % 2;
          dev.reserve(small, 4096 * i, true);
          dev.take(small, 1024 * i, 512 * i);
          for (long long k = 0; k < b; k++) work = work + k;
          dev.give(small, 1024 * i, 512 * i);
          dev.release(small, 4096 * i, true);
        }
      });
  } else if (w == "print") {
    print_array("allocation", dev.stats.allocation);
    print_array("segment", dev.stats.segment);
    print_array("active", dev.stats.active);
    print_array("inactive_split", dev.stats.inactive_split);
    print_array("allocated_bytes", dev.stats.allocated_bytes);
    print_array("reserved_bytes", dev.stats.reserved_bytes);
    print_array("active_bytes", dev.stats.active_bytes);
    print_array("inactive_split_bytes", dev.stats.inactive_split_bytes);
#if TAIL >= 2
    print_array("requested_bytes", dev.stats.requested_bytes);
#endif
    printf("retries=%lld ooms=%lld ", (long long)dev.stats.num_alloc_retries, (long long)dev.stats.num_ooms);
  } else {
    return false;
  }
  return true;
}

// The layouts that the reader's tables give, where the compiler can say so.
static_assert(sizeof(Stat) == 32 && sizeof(StatArray) == 96, "Stat");
#if TAIL == 0
static_assert(sizeof(DeviceStats) == 784, "A");
#elif TAIL == 1
static_assert(offsetof(DeviceStats, max_split_size) == 848, "B");
#elif TAIL == 2
static_assert(offsetof(DeviceStats, max_split_size) == 944, "C");
#elif TAIL == 3
static_assert(offsetof(DeviceStats, max_split_size) == 952, "D");
#elif TAIL == 4
static_assert(offsetof(DeviceStats, max_split_size) == 968, "E");
#elif TAIL == 5
static_assert(offsetof(DeviceStats, max_split_size) == 976, "E'");
#elif TAIL == 6
static_assert(offsetof(DeviceStats, max_split_size) == 1008, "F");
#endif
