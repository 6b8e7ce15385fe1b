package torch

import (
	"errors"
	"slices"

	"github.com/vramscope/vramscope/monitor"
)

// symbols are the mangled names of the pointer to the allocator in use, from
// 2.0 on: std::atomic<CUDAAllocator*> c10::cuda::CUDACachingAllocator::
// allocator, and its name in ROCm builds up to 2.10.
var symbols = [...]string{
	"_ZN3c104cuda20CUDACachingAllocator9allocatorE",
	"_ZN3c103hip19HIPCachingAllocator9allocatorE",
}

// outcome is what looking for an allocator in a process came to. place is set
// when state is AllocatorOK, which here says only that one was found.
type outcome struct {
	state  monitor.AllocatorState
	reason string
	place  *place
	// notTorch says that the process has nothing to do with PyTorch's CUDA
	// part, so that it gets no row at all.
	notTorch bool
	// empty says for certain that the allocator has no devices yet.
	empty bool
}

// place is where in a process the allocator's statistics are.
type place struct {
	found
	library uint64 // where the library is loaded
	symbol  uint64 // address of the pointer to the allocator, 0 without one
	object  uint64 // the allocator
}

// same tells whether two processes have the allocator and its devices at the
// same addresses in the same library, as a process and its forked copy do.
func (p *place) same(q *place) bool {
	return p.library == q.library && p.object == q.object && p.at == q.at && slices.Equal(p.elements, q.elements)
}

// explorer looks for the allocator in one process.
type explorer struct {
	view      view
	space     addressSpace
	isThread  func(tid int32) bool
	scanLimit uint64 // bytes of writable memory to search without a symbol
	program   bool   // search the program itself too: a static build
}

// explore follows section 1 of the search: the library, the symbol, the class,
// the vector.
func (e *explorer) explore() outcome {
	images, best := e.libraries()
	var places []*place
	for _, im := range images {
		found, out := e.exploreImage(&im)
		places = append(places, found...)
		if rank(out.state) > rank(best.state) || best.state == monitor.AllocatorUnread {
			best = out
		}
	}
	switch {
	case len(places) == 1:
		return outcome{state: monitor.AllocatorOK, place: places[0]}
	case len(places) > 1:
		return outcome{state: monitor.AllocatorAmbiguous, reason: reasonAmbiguous(len(places))}
	case best.state == monitor.AllocatorUnread:
		return outcome{notTorch: true}
	}
	return best
}

// rank orders what several libraries of one process came to; the most telling
// is reported.
func rank(s monitor.AllocatorState) int {
	order := [...]monitor.AllocatorState{
		monitor.AllocatorUnread, monitor.AllocatorUnknown, monitor.AllocatorUnsupported,
		monitor.AllocatorNoCUDA, monitor.AllocatorStarting, monitor.AllocatorForeign,
		monitor.AllocatorPluggable, monitor.AllocatorAsync, monitor.AllocatorDenied, monitor.AllocatorGone,
	}
	return slices.Index(order[:], s)
}

// libraries returns the images that can hold the allocator: the allocator's
// own libraries, else the library of a monolithic build, else the program.
// With none it returns what went wrong, if anything did.
func (e *explorer) libraries() ([]image, outcome) {
	var best outcome
	roles := []role{roleC10, roleTorch}
	if e.program {
		roles = append(roles, roleExe)
	}
	for _, want := range roles {
		var images []image
		end := uint64(0)
		for _, m := range e.space.maps {
			if m.role != want || m.offset != 0 || !m.readable || m.lo < end {
				continue
			}
			im, err := readImage(&e.view, m.lo)
			if err == nil {
				images, end = append(images, im), im.end
				continue
			}
			if out := imageFailure(err, m.name); want != roleExe && rank(out.state) > rank(best.state) {
				best = out
			}
		}
		if len(images) > 0 {
			return images, best
		}
	}
	return nil, best
}

// imageFailure says what an image that cannot be read means.
func imageFailure(err error, name string) outcome {
	var arch otherArch
	switch {
	case errors.As(err, &arch):
		return outcome{state: monitor.AllocatorUnsupported, reason: reasonArch(arch)}
	case isDenied(err):
		return outcome{state: monitor.AllocatorDenied}
	case isGone(err):
		return outcome{state: monitor.AllocatorGone, reason: reasonGone}
	case errors.Is(err, errNotELF):
		return outcome{state: monitor.AllocatorUnknown, reason: reasonNotLibrary(name)}
	}
	// Its pieces are not all in place yet.
	return outcome{state: monitor.AllocatorStarting, reason: reasonStarting}
}

// exploreImage looks for the allocator in one library.
func (e *explorer) exploreImage(im *image) ([]*place, outcome) {
	for _, name := range symbols {
		sym, ok, err := im.lookup(&e.view, name)
		if err != nil && (isGone(err) || isDenied(err)) {
			return nil, imageFailure(err, name)
		}
		if err != nil || !ok || !e.space.writable(sym.at, 8) {
			continue
		}
		return e.exploreObject(im, e.inUse(im, sym))
	}
	places := e.blindScan(im)
	if len(places) == 0 && e.program {
		return nil, outcome{}
	}
	return places, outcome{state: monitor.AllocatorNoCUDA, reason: reasonNoneInUse}
}

// inUse returns the address of the pointer that the library itself uses. The
// one inside it stays empty where the name is bound to a copy elsewhere.
func (e *explorer) inUse(im *image, sym exported) uint64 {
	if own, err := e.view.u64(sym.at); err != nil || own != 0 {
		return sym.at
	}
	if at, ok := im.bound(&e.view, sym.number); ok && e.space.writable(at, 8) {
		return at
	}
	return sym.at
}

// blindScan searches all writable segments of an image without a symbol: 1.x,
// whose allocator is hidden, and static builds.
func (e *explorer) blindScan(im *image) []*place {
	f := finder{view: &e.view, space: &e.space, isThread: e.isThread}
	left := e.scanLimit
	for _, s := range im.writable {
		// Its first pages are made read-only once the loader has relocated them.
		e.space.eachWritable(s.lo&^7, s.n, func(lo, n uint64) {
			n = min(n, left)
			f.scan(lo, n)
			left -= n
		})
	}
	return e.places(&f, im, 0, 0)
}

func (e *explorer) places(f *finder, im *image, symbol, object uint64) []*place {
	var out []*place
	for _, v := range f.out {
		out = append(out, &place{found: v, library: im.base, symbol: symbol, object: object})
	}
	return out
}

// exploreObject follows the pointer to the allocator in use.
func (e *explorer) exploreObject(im *image, symbol uint64) ([]*place, outcome) {
	object, err := e.view.u64(symbol)
	if err != nil {
		return nil, imageFailure(err, "")
	}
	starting := outcome{state: monitor.AllocatorStarting, reason: reasonStarting}
	if object == 0 {
		return nil, starting
	}
	class, err := className(&e.view, object)
	if err != nil {
		return nil, starting
	}
	switch backendOf(class) {
	case backendAsync:
		return nil, outcome{state: monitor.AllocatorAsync, reason: reasonAsync}
	case backendPluggable:
		return nil, outcome{state: monitor.AllocatorPluggable, reason: reasonPluggable}
	case backendForeign:
		return nil, outcome{state: monitor.AllocatorForeign, reason: reasonForeign(class)}
	case backendNative:
	}
	f := finder{view: &e.view, space: &e.space, isThread: e.isThread, exported: true}
	f.scan(object, objectBytes)
	places := e.places(&f, im, symbol, object)
	if len(places) > 0 {
		return places, outcome{}
	}
	if knownEmpty(&e.view, object) {
		return nil, outcome{state: monitor.AllocatorNoCUDA, reason: reasonNoCUDA, empty: true}
	}
	return nil, outcome{state: monitor.AllocatorNoCUDA, reason: reasonNoneInUse}
}
