/* A stand-in for the CUDA runtime: what libc10_cuda.so calls, and nothing else.
 * Memory is counted by the stand-in for the driver; a stream is a number; an
 * event is done when it was asked for the third time, so that blocks wait for
 * other streams as on a GPU. FAKE_CUDA_MALLOC_US is how long cudaMalloc takes. */
#define _GNU_SOURCE
#include "cuda_runtime_api.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { QUERIES = 3, MAX_BLOCKS = 1 << 16 };
static __thread int current, capturing;
static __thread cudaError_t last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { uint64_t at, bytes; int device; } block[MAX_BLOCKS];
static int blocks;
struct CUevent_st { int asked; };
void (*fakeDuringMalloc)(void);

static cudaError_t done(cudaError_t e) {
  if (e) last = e;
  return e;
}

const char* cudaGetErrorString(cudaError_t e) { return e == cudaErrorMemoryAllocation ? "out of memory" : e ? "error" : "no error"; }
cudaError_t cudaGetLastError(void) { cudaError_t e = last; last = cudaSuccess; return e; }
cudaError_t cudaDriverGetVersion(int* v) { *v = CUDA_VERSION; return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* n) { *n = fakeDevices(); return done(*n ? cudaSuccess : cudaErrorNoDevice); }
cudaError_t cudaGetDevice(int* d) { *d = current; return cudaSuccess; }
cudaError_t cudaSetDevice(int d) {
  if (d < 0 || d >= fakeDevices()) return done(cudaErrorInvalidDevice);
  current = d;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp* p, int d) {
  memset(p, 0, sizeof *p);
  strcpy(p->name, "Fake GPU");
  if (!fakeUUID(d, p->uuid.bytes)) return done(cudaErrorInvalidDevice);
  p->totalGlobalMem = fakeTotal();
  p->major = 9;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) { *least = 0; *greatest = -5; return cudaSuccess; }

cudaError_t cudaMalloc(void** out, size_t bytes) {
  const char* us = getenv("FAKE_CUDA_MALLOC_US");
  cudaError_t e = fakeTake(current, bytes);
  if (fakeDuringMalloc) fakeDuringMalloc();
  if (us) usleep((useconds_t)atoi(us));
  if (e) return done(e);
  *out = (void*)fakeAddress(current, bytes);
  pthread_mutex_lock(&lock);
  if (blocks == MAX_BLOCKS) abort();
  block[blocks].at = (uint64_t)*out;
  block[blocks].bytes = bytes;
  block[blocks++].device = current;
  pthread_mutex_unlock(&lock);
  return cudaSuccess;
}
cudaError_t cudaFree(void* at) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < blocks; i++)
    if (block[i].at == (uint64_t)at) {
      fakeGive(block[i].device, block[i].bytes);
      block[i] = block[--blocks];
      pthread_mutex_unlock(&lock);
      return cudaSuccess;
    }
  pthread_mutex_unlock(&lock);
  return done(at ? cudaErrorInvalidValue : cudaSuccess);
}
cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
  if (fakeDevices() <= current) return done(cudaErrorNoDevice);
  *total = fakeTotal();
  *available = *total - fakeUsed(current);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned flags) { (void)flags; *e = calloc(1, sizeof **e); return cudaSuccess; }
cudaError_t cudaEventDestroy(cudaEvent_t e) { free(e); return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) { (void)s; e->asked = 0; return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t e) { return done(++e->asked < QUERIES ? cudaErrorNotReady : cudaSuccess); }
cudaError_t cudaEventSynchronize(cudaEvent_t e) { e->asked = QUERIES; return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t a, cudaEvent_t b) { (void)a, (void)b; *ms = 1; return cudaSuccess; }

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* s, unsigned flags, int priority) {
  static uintptr_t made = 16;
  (void)flags, (void)priority;
  *s = (cudaStream_t)__atomic_add_fetch(&made, 16, __ATOMIC_RELAXED);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t s) { (void)s; return cudaSuccess; }
cudaError_t cudaStreamGetPriority(cudaStream_t s, int* p) { (void)s; *p = 0; return cudaSuccess; }
cudaError_t cudaStreamQuery(cudaStream_t s) { (void)s; return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t s) { (void)s; return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags) { (void)s, (void)e, (void)flags; return cudaSuccess; }
cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode m) { (void)s, (void)m; capturing++; return cudaSuccess; }
cudaError_t cudaStreamEndCapture(cudaStream_t s, void** graph) { (void)s; capturing--; *graph = NULL; return cudaSuccess; }
cudaError_t cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus* out) {
  (void)s;
  *out = capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, enum cudaStreamCaptureStatus* out, unsigned long long* id) { *id = 1; return cudaStreamIsCapturing(s, out); }
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode* m) { (void)m; return cudaSuccess; }

cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t s) { (void)s; return cudaMalloc(out, bytes); }
cudaError_t cudaFreeAsync(void* at, cudaStream_t s) { (void)s; return cudaFree(at); }
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* p, int d) { *p = (cudaMemPool_t)(uintptr_t)(d + 1); return cudaSuccess; }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t p, enum cudaMemPoolAttr a, void* out) { (void)a; *(uint64_t*)out = fakeUsed((int)(uintptr_t)p - 1); return cudaSuccess; }

/* Nothing to do on a machine without a GPU. */
#define NOTHING(name, ...) cudaError_t name(__VA_ARGS__) { return cudaSuccess; }
NOTHING(cudaMemPoolSetAttribute, cudaMemPool_t p, enum cudaMemPoolAttr a, void* v)
NOTHING(cudaMemPoolSetAccess, cudaMemPool_t p, const struct cudaMemAccessDesc* d, size_t n)
NOTHING(cudaMemPoolTrimTo, cudaMemPool_t p, size_t keep)
NOTHING(cudaDeviceSynchronize, void)
NOTHING(cudaMemcpy, void* to, const void* from, size_t n, enum cudaMemcpyKind k)
NOTHING(cudaMemcpyAsync, void* to, const void* from, size_t n, enum cudaMemcpyKind k, cudaStream_t s)
NOTHING(cudaMemcpyPeerAsync, void* to, int a, const void* from, int b, size_t n, cudaStream_t s)
#define REFUSED(name, ...) cudaError_t name(__VA_ARGS__) { return done(cudaErrorNotSupported); }
REFUSED(cudaDeviceEnablePeerAccess, int d, unsigned flags)
REFUSED(cudaIpcGetMemHandle, cudaIpcMemHandle_t* h, void* at)
REFUSED(cudaIpcOpenMemHandle, void** at, cudaIpcMemHandle_t h, unsigned flags)
REFUSED(cudaIpcCloseMemHandle, void* at)
