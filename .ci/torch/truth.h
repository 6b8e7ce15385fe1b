// PyTorch's own allocator figures, written down by the job as the truth to compare with, in the form
// of ../gpu/truth.py: a line for each time torch was asked, with the clock before and after.
#pragma once
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#if TORCH_MAJOR >= 2
#define WITH_REQUESTED(f) , f
static const char* const fields =
    "\"allocated\",\"reserved\",\"peak_allocated\",\"peak_reserved\",\"active_bytes\",\"inactive_split_bytes\","
    "\"segment\",\"allocation\",\"active\",\"inactive_split\",\"alloc_retries\",\"ooms\",\"requested\"";
#else  // 1.x counts no requested bytes
#define WITH_REQUESTED(f)
static const char* const fields =
    "\"allocated\",\"reserved\",\"peak_allocated\",\"peak_reserved\",\"active_bytes\",\"inactive_split_bytes\","
    "\"segment\",\"allocation\",\"active\",\"inactive_split\",\"alloc_retries\",\"ooms\"";
#endif

inline int64_t wall_clock() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

template <class DeviceStats>
std::vector<int64_t> figures(const DeviceStats& s) {
  return {s.allocated_bytes[0].current, s.reserved_bytes[0].current, s.allocated_bytes[0].peak, s.reserved_bytes[0].peak,
          s.active_bytes[0].current, s.inactive_split_bytes[0].current, s.segment[0].current, s.allocation[0].current,
          s.active[0].current, s.inactive_split[0].current, s.num_alloc_retries, s.num_ooms
          WITH_REQUESTED(s.requested_bytes[0].current)};
}

std::vector<int64_t> ask(int device);  // the job's own

// Truth keeps its lines in memory until the end, so that a disk does not slow the job.
class Truth {
 public:
  // complete says that every state the allocator passes through is noted.
  Truth(std::string path, bool complete) : path_(std::move(path)), complete_(complete) {}

  void note(int device) {
    Row r{wall_clock(), 0, device, ask(device)};
    r.after = wall_clock();
    std::lock_guard<std::mutex> hold(lock_);
    rows_.push_back(std::move(r));
  }

  // watch notes the devices every 2 ms from now on, beside the job.
  void watch(int devices) {
    watcher_ = std::thread([this, devices] {
      while (!stop_) {
        for (int d = 0; d < devices; d++) note(d);
        usleep(2000);
      }
    });
  }

  void close(int devices) {
    stop_ = true;
    if (watcher_.joinable()) watcher_.join();
    FILE* f = fopen(path_.c_str(), "w");
    fprintf(f, "{\"pid\":%d,\"complete\":%s,\"fields\":[%s],\"torch\":\"%s\",\"uuids\":[", getpid(), complete_ ? "true" : "false", fields, TORCH);
    for (int d = 0; d < devices; d++) {
      cudaDeviceProp p;
      cudaGetDeviceProperties_v2(&p, d);
      fprintf(f, "%s\"GPU-00000000-0000-0000-0000-%012d\"", d ? "," : "", p.uuid.bytes[15]);
    }
    fprintf(f, "]}\n");
    for (const Row& r : rows_) {
      fprintf(f, "{\"t0\":%lld,\"t1\":%lld,\"dev\":%d,\"v\":[", (long long)r.before, (long long)r.after, r.device);
      for (size_t i = 0; i < r.values.size(); i++) fprintf(f, "%s%lld", i ? "," : "", (long long)r.values[i]);
      fprintf(f, "]}\n");
    }
    fclose(f);
  }

 private:
  struct Row {
    int64_t before, after;
    int device;
    std::vector<int64_t> values;
  };
  std::string path_;
  bool complete_;
  std::mutex lock_;
  std::vector<Row> rows_;
  std::atomic<bool> stop_{false};
  std::thread watcher_;
};
