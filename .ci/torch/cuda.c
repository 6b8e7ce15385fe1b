/* A stand-in for the CUDA driver library: it keeps count of the memory of up to
 * eight devices and hands out addresses that nobody follows.
 *   FAKE_CUDA_DEVICES     devices there are, 1
 *   FAKE_CUDA_BYTES       memory of each, 80 GiB
 *   CUDA_VISIBLE_DEVICES  numbers, as in CUDA
 *   FAKE_NVML_CONFIG      the file of the stand-in for NVML: a process is listed
 *                         there on a device from the first memory it takes on it
 * As in CUDA, a process forked after that can take none. */
#define _GNU_SOURCE
#include "cuda_runtime_api.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX = 8, CONTEXT = 512 << 20 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int physical, listed; uint64_t used, next; } device[MAX];
static int devices = -1, owner;
static uint64_t total;

static uint64_t number(const char* name, uint64_t otherwise) {
  const char* text = getenv(name);
  return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

static void start(void) {
  if (devices >= 0) return;
  int there = (int)number("FAKE_CUDA_DEVICES", 1), n = 0;
  const char* visible = getenv("CUDA_VISIBLE_DEVICES");
  total = number("FAKE_CUDA_BYTES", 80ull << 30);
  if (!visible)
    for (; n < there && n < MAX; n++) device[n].physical = n;
  while (visible && *visible && n < MAX) {
    char* end;
    long i = strtol(visible, &end, 10);
    if (end == visible || i < 0 || i >= there) break;
    device[n++].physical = (int)i;
    visible = end + (*end == ',');
  }
  devices = n;
}

/* list makes the driver's list name this process, as a context does. */
static void list(int d) {
  const char* path = getenv("FAKE_NVML_CONFIG");
  char line[96];
  int fd, n;
  if (device[d].listed || !path) return;
  device[d].listed = 1;
  n = snprintf(line, sizeof line, "gpu %d proc %d %llu c\n", device[d].physical, getpid(), (unsigned long long)total + CONTEXT);
  fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0 || write(fd, line, (size_t)n) != n) abort();
  close(fd);
}

int fakeDevices(void) {
  pthread_mutex_lock(&lock);
  start();
  pthread_mutex_unlock(&lock);
  return devices;
}

/* The UUIDs that the stand-in for NVML has: GPU-00000000-0000-0000-0000-%012d. */
int fakeUUID(int d, char out[16]) {
  if (d < 0 || d >= fakeDevices()) return 0;
  memset(out, 0, 16);
  out[15] = (char)device[d].physical;
  return 1;
}

uint64_t fakeTotal(void) { return total; }
uint64_t fakeUsed(int d) { return device[d].used; }

cudaError_t fakeTake(int d, uint64_t bytes) {
  cudaError_t out = cudaErrorMemoryAllocation;
  pthread_mutex_lock(&lock);
  start();
  if (!owner) owner = getpid();
  if (owner != getpid()) out = cudaErrorInitializationError;
  else if (d < 0 || d >= devices) out = cudaErrorInvalidDevice;
  else if (device[d].used + bytes <= total) {
    list(d);
    device[d].used += bytes;
    out = cudaSuccess;
  }
  pthread_mutex_unlock(&lock);
  return out;
}

void fakeGive(int d, uint64_t bytes) {
  pthread_mutex_lock(&lock);
  device[d].used -= bytes;
  pthread_mutex_unlock(&lock);
}

uint64_t fakeAddress(int d, uint64_t bytes) {
  pthread_mutex_lock(&lock);
  uint64_t at = ((uint64_t)(d + 1) << 43) + device[d].next;
  device[d].next += (bytes + (2 << 20) - 1) & ~((2ull << 20) - 1);
  pthread_mutex_unlock(&lock);
  return at;
}

/* The driver's calls that expandable segments are made of. */
struct property { int type, handles, location, device; };
struct piece { int device; uint64_t bytes; };

int cuGetErrorString(int code, const char** text) { *text = code == 2 ? "out of memory" : "error"; return 0; }
int cuDeviceGetAttribute(int* value, int attribute, int d) { (void)attribute, (void)d; *value = 0; return 0; }
int cuMemGetAllocationGranularity(size_t* size, const struct property* p, int flags) { (void)p, (void)flags; *size = 2 << 20; return 0; }
int cuMemAddressReserve(uint64_t* at, size_t bytes, size_t align, uint64_t hint, uint64_t flags) {
  (void)align, (void)hint, (void)flags;
  *at = fakeAddress(0, bytes);
  return 0;
}
int cuMemAddressFree(uint64_t at, size_t bytes) { (void)at, (void)bytes; return 0; }
int cuMemCreate(struct piece** out, size_t bytes, const struct property* p, uint64_t flags) {
  (void)flags;
  cudaError_t e = fakeTake(p->device, bytes);
  if (e) return (int)e;
  *out = malloc(sizeof **out);
  **out = (struct piece){p->device, bytes};
  return 0;
}
int cuMemRelease(struct piece* p) { fakeGive(p->device, p->bytes); free(p); return 0; }
int cuMemMap(uint64_t at, size_t bytes, size_t offset, struct piece* p, uint64_t flags) { (void)at, (void)bytes, (void)offset, (void)p, (void)flags; return 0; }
int cuMemUnmap(uint64_t at, size_t bytes) { (void)at, (void)bytes; return 0; }
int cuMemSetAccess(uint64_t at, size_t bytes, const void* access, size_t n) { (void)at, (void)bytes, (void)access, (void)n; return 0; }

/* Looked up by PyTorch and never called here. */
#define NEVER(name) int name(void) { abort(); }
NEVER(cuMemExportToShareableHandle)
NEVER(cuMemImportFromShareableHandle)
NEVER(cuMemsetD32Async)
NEVER(cuStreamWriteValue32)
