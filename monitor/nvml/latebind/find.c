//go:build linux && cgo && (amd64 || arm64)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

static int absent(void) { return 13; }
static const char *absent_text(void) { return "the driver library has no nvmlErrorString"; }

/* vramscope_nvml_find returns the address of a function of the driver library,
   which go-nvml opens with RTLD_GLOBAL, and keeps it in slot. What is not there
   is not kept: a library may be opened later. The names of this program are
   hidden, so a look-up never finds the jumps themselves. */
__attribute__((visibility("hidden")))
void *vramscope_nvml_find(const char *name, void **slot)
{
	void *found = dlsym(RTLD_DEFAULT, name);
	if (found) {
		__atomic_store_n(slot, found, __ATOMIC_RELEASE);
		return found;
	}
	return strcmp(name, "nvmlErrorString") ? (void *)absent : (void *)absent_text;
}
