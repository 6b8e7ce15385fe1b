//go:build oldglibc && cgo && linux && (amd64 || arm64)

package oldglibc

/*
#cgo LDFLAGS: -Wl,--push-state -Wl,--no-as-needed -l:libpthread.so.0 -l:libdl.so.2 -Wl,--pop-state
#cgo LDFLAGS: -Wl,--wrap=__libc_start_main
#cgo LDFLAGS: -Wl,--wrap=pthread_create -Wl,--wrap=pthread_getattr_np -Wl,--wrap=pthread_sigmask
#cgo LDFLAGS: -Wl,--wrap=pthread_attr_getstack -Wl,--wrap=pthread_attr_getstacksize
#cgo LDFLAGS: -Wl,--wrap=pthread_key_create -Wl,--wrap=pthread_setspecific
#cgo LDFLAGS: -Wl,--wrap=dlopen -Wl,--wrap=dlsym -Wl,--wrap=dlclose -Wl,--wrap=dlerror -Wl,--wrap=dlinfo
*/
import "C"
