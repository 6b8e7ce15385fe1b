package torch

import (
	"strings"
)

// backend is the kind of allocator that a process uses.
type backend uint8

const (
	backendNative backend = iota
	backendAsync
	backendPluggable
	backendForeign
)

// className returns the mangled name of the class of a C++ object with virtual
// functions, from the type information that its first word leads to (Itanium
// C++ ABI 2.5.2 and 2.9: vptr[-2] is the offset to top, vptr[-1] the
// type_info, whose second word is the name). Stripping leaves it in place.
func className(v *view, object uint64) (string, error) {
	table, err := v.u64(object)
	if err != nil {
		return "", err
	}
	top, err := v.u64(table - 16)
	if err != nil {
		return "", err
	}
	if top != 0 {
		return "", errShort
	}
	info, err := v.u64(table - 8)
	if err != nil {
		return "", err
	}
	at, err := v.u64(info + 8)
	if err != nil {
		return "", err
	}
	name, err := v.text(at, 128)
	if err != nil {
		return "", err
	}
	// A leading star marks a class local to its library.
	name = strings.TrimPrefix(name, "*")
	if name == "" {
		return "", errShort
	}
	return name, nil
}

// backendOf tells the kind of allocator by its class (PyTorch
// c10/cuda/CUDACachingAllocator.cpp, c10/cuda/CUDAMallocAsyncAllocator.cpp,
// torch/csrc/cuda/CUDAPluggableAllocator.h; the same after hipify).
func backendOf(class string) backend {
	switch {
	case strings.HasSuffix(class, "22NativeCachingAllocatorE"):
		return backendNative
	case strings.Contains(class, "MallocAsync"):
		return backendAsync
	case strings.Contains(class, "Pluggable"):
		return backendPluggable
	}
	return backendForeign
}

// readable turns a mangled class name into the source's form as far as it is a
// plain nested name (N3c104cuda…E). Anything that is no part of a name is
// replaced, since the text comes from a stranger's memory.
func readable(class string) string {
	rest, nested := strings.CutPrefix(class, "N")
	var parts []string
	for len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
		n := 0
		for len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' && n < 1000 {
			n = 10*n + int(rest[0]-'0')
			rest = rest[1:]
		}
		if n == 0 || n > len(rest) {
			break
		}
		parts = append(parts, rest[:n])
		rest = rest[n:]
	}
	out := strings.Join(parts, "::")
	if len(parts) == 0 || (nested && rest != "E") || (!nested && rest != "") {
		out = class
	}
	return strings.Map(func(r rune) rune {
		if r == '_' || r == ':' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '?'
	}, out)
}
