// Package latebind gives a program the functions of the NVIDIA driver library
// that go-nvml refers to and leaves undefined. Each is a jump to the library's
// function of the same name, looked up when it is first called, so that a
// program starts without the library wherever the loader binds every name at
// the start: under LD_BIND_NOW=1, or linked by a compiler that adds -z now. It
// is imported for its side effect on the link. It must not know what the
// functions do.
//
// A function that the library lacks answers NVML_ERROR_FUNCTION_NOT_FOUND (13,
// nvml.h) instead of ending the process. The names are those of go-nvml
// v0.13.0-1; a name that is missing here binds as go-nvml leaves it, and the
// package's test says so.
package latebind
