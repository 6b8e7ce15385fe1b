//go:build oldglibc && cgo && linux && (amd64 || arm64)

/* glibc 2.32 and 2.34 moved these from libpthread and libdl into libc under a
   new version; the old version is still there, and is all older glibc has. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#if defined(__x86_64__)
#define BASE "GLIBC_2.2.5"
#define DLINFO "GLIBC_2.3.3"
#else
#define BASE "GLIBC_2.17"
#define DLINFO "GLIBC_2.17"
#endif

#define WRAP(ver, name, params, args)                          \
	extern int og_##name params;                               \
	__asm__(".symver og_" #name "," #name "@" ver);            \
	int __wrap_##name params { return og_##name args; }

#define WRAPP(ver, name, params, args)                         \
	extern void *og_##name params;                             \
	__asm__(".symver og_" #name "," #name "@" ver);            \
	void *__wrap_##name params { return og_##name args; }

WRAP(BASE, pthread_create, (pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *p), (t, a, f, p))
WRAP(BASE, pthread_getattr_np, (pthread_t t, pthread_attr_t *a), (t, a))
WRAP(BASE, pthread_sigmask, (int how, const sigset_t *s, sigset_t *o), (how, s, o))
WRAP(BASE, pthread_attr_getstack, (const pthread_attr_t *a, void **p, size_t *n), (a, p, n))
WRAP(BASE, pthread_attr_getstacksize, (const pthread_attr_t *a, size_t *n), (a, n))
WRAP(BASE, pthread_key_create, (pthread_key_t *k, void (*d)(void *)), (k, d))
WRAP(BASE, pthread_setspecific, (pthread_key_t k, const void *v), (k, v))
WRAP(BASE, dlclose, (void *h), (h))
WRAP(DLINFO, dlinfo, (void *h, int r, void *p), (h, r, p))
WRAPP(BASE, dlopen, (const char *f, int m), (f, m))
WRAPP(BASE, dlsym, (void *h, const char *s), (h, s))
extern char *og_dlerror(void);
__asm__(".symver og_dlerror,dlerror@" BASE);
char *__wrap_dlerror(void) { return og_dlerror(); }

/* A start file from glibc 2.34 or later passes no init function and leaves the
   constructors to libc; an older libc runs them only through that function. */
typedef void (*ctor)(int, char **, char **);
extern ctor __preinit_array_start[] __attribute__((visibility("hidden")));
extern ctor __preinit_array_end[] __attribute__((visibility("hidden")));
extern ctor __init_array_start[] __attribute__((visibility("hidden")));
extern ctor __init_array_end[] __attribute__((visibility("hidden")));
extern void _init(void);

static void run_ctors(int argc, char **argv, char **envp)
{
	for (ctor *c = __preinit_array_start; c < __preinit_array_end; c++)
		(*c)(argc, argv, envp);
	_init();
	for (ctor *c = __init_array_start; c < __init_array_end; c++)
		(*c)(argc, argv, envp);
}

extern int og_start(int (*)(int, char **, char **), int, char **, void (*)(int, char **, char **), void (*)(void), void (*)(void), void *);
__asm__(".symver og_start,__libc_start_main@" BASE);
int __wrap___libc_start_main(int (*m)(int, char **, char **), int argc, char **argv,
	void (*init)(int, char **, char **), void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	return og_start(m, argc, argv, init ? init : run_ctors, fini, rtld_fini, stack_end);
}
