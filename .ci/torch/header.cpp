// A job for a release of PyTorch whose headers are to be had and whose library is not: its statistics
// are the DeviceStats of that header, filled by the header's own functions; the allocator round them
// is ours, and moves at random. job NAME SECONDS TRUTH, compiled into a library of PyTorch's name.
#include <c10/core/CachingDeviceAllocator.h>
#include <string.h>
#include <sys/prctl.h>
#include <signal.h>

#include <memory>
#include <random>

#include "truth.h"

namespace c10::cuda::CUDACachingAllocator {
struct CUDAAllocator {
  virtual ~CUDAAllocator() = default;
};
struct DeviceCachingAllocator {
  std::recursive_mutex mutex;
  c10::CachingDeviceAllocator::DeviceStats stats;
};
namespace Native {
struct NativeCachingAllocator : CUDAAllocator {
  std::vector<std::unique_ptr<DeviceCachingAllocator>> device_allocator;
};
}  // namespace Native
__attribute__((visibility("default"))) std::atomic<CUDAAllocator*> allocator;
}  // namespace c10::cuda::CUDACachingAllocator

using c10::CachingAllocator::StatArray;
static c10::cuda::CUDACachingAllocator::Native::NativeCachingAllocator native;

std::vector<int64_t> ask(int device) {
  auto& d = *native.device_allocator[device];
  std::lock_guard<std::recursive_mutex> hold(d.mutex);
  return figures(d.stats);
}

// The whole and one of its pools, small (1) or large (2).
static void up(StatArray& a, int pool, int64_t n) { a[0].increase(n), a[pool].increase(n); }
static void down(StatArray& a, int pool, int64_t n) { a[0].decrease(n), a[pool].decrease(n); }

struct Block {
  int pool;
  int64_t bytes, requested;
};

// One change under the lock, as an allocation, a free, a new segment or a pool of a CUDA graph makes it.
static void change(std::mt19937& random, std::vector<Block>& live, unsigned& pools) {
  auto& d = *native.device_allocator[0];
  std::lock_guard<std::recursive_mutex> hold(d.mutex);
  auto& s = d.stats;
  if (live.size() > 200 || (!live.empty() && random() % 2)) {
    const Block b = live.back();
    live.pop_back();
    down(s.allocation, b.pool, 1), down(s.active, b.pool, 1), down(s.allocated_bytes, b.pool, b.bytes);
    down(s.active_bytes, b.pool, b.bytes), down(s.requested_bytes, b.pool, b.requested);
    up(s.inactive_split, b.pool, 1), up(s.inactive_split_bytes, b.pool, b.bytes);
    return;
  }
  Block b{(int)(random() % 2) + 1, 0, (int64_t)(random() % 900000) + 1};
  b.bytes = (b.requested + 511) / 512 * 512;
  if (s.inactive_split_bytes[b.pool].current >= b.bytes && s.inactive_split[b.pool].current > 1) {
    down(s.inactive_split, b.pool, 1), down(s.inactive_split_bytes, b.pool, b.bytes);
  } else {
    up(s.segment, b.pool, 1), up(s.reserved_bytes, b.pool, 2 << 20);
    if (random() % 4 == 0) up(s.reserved_bytes_by_private_pools[{0, ++pools}], b.pool, 2 << 20);
    if (random() % 8 == 0) s.reserved_bytes_by_private_pools.erase({0, random() % (pools + 1)});
    s.num_device_alloc++;
  }
  up(s.allocation, b.pool, 1), up(s.active, b.pool, 1), up(s.allocated_bytes, b.pool, b.bytes);
  up(s.active_bytes, b.pool, b.bytes), up(s.requested_bytes, b.pool, b.requested);
  s.num_alloc_retries += random() % 100 == 0;
  s.num_ooms += random() % 200 == 0;
  s.num_oom_rejections += random() % 300 == 0;
  live.push_back(b);
}

extern "C" __attribute__((visibility("default"))) int run(int argc, char** argv) {
  if (argc != 4) return 2;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  c10::cuda::CUDACachingAllocator::allocator = &native;
  usleep(500000);
  native.device_allocator.emplace_back(new c10::cuda::CUDACachingAllocator::DeviceCachingAllocator());
  native.device_allocator[0]->stats.max_split_size = strcmp(argv[1], "split") ? -1 : 64 << 20;
  if (fakeTake(0, 1)) return 1;
  Truth t(argv[3], true);
  std::mt19937 random{11};
  std::vector<Block> live;
  unsigned pools = 0;
  const int64_t end = wall_clock() + (int64_t)(atof(argv[2]) * 1e9);
  for (t.note(0); wall_clock() < end; usleep(random() % 3000)) change(random, live, pools), t.note(0);
  t.note(0);
  printf("%zu private pools in the map\n", native.device_allocator[0]->stats.reserved_bytes_by_private_pools.size());
  t.close(1);
  return 0;
}
