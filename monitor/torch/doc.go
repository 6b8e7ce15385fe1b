// Package torch reads the statistics of PyTorch's CUDA caching allocator from
// outside a running, unchanged process on Linux: it finds the allocator object
// in the process's memory through the symbols and the type information of
// libc10_cuda.so, recognises the layout of the statistics by rules that they
// obey whatever the PyTorch release, and copies them out on every tick.
//
// It only reads. The process is never stopped, nothing is written into it, and
// of it only the entries under /proc are opened, never its files. A figure
// that fails a rule, contradicts the driver or may be a forked copy of another
// process's figure is not published; its row says why instead.
//
// It must not know how samples are kept, judged or drawn, nor how the driver
// is asked: what it needs of GPUs and of the driver's process list comes with
// monitor.Request.
package torch
