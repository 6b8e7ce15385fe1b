// Package oldglibc binds a cgo program that is built with the tag oldglibc to
// versions of libc's functions that glibc 2.17 already has, so that one file
// runs in the image of any training job. A program imports it for its side
// effect on the link; without the tag, without cgo and on other systems it is
// empty. It must not know what the program does.
//
// The versions that it names are those of glibc's own symbol lists: 2.2.5 is
// the base of x86-64, 2.17 that of aarch64 (sysdeps/unix/sysv/linux/*/shlib-versions).
package oldglibc
