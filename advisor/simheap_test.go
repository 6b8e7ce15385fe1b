package advisor_test

// heap is PyTorch's caching allocator as far as its figures go: sizes rounded
// to 512 bytes; segments of 2 MiB for requests up to 1 MiB, of 20 MiB up to
// 10 MiB, and of the size itself rounded to 2 MiB above (kSmallBuffer,
// kLargeBuffer and kRoundLarge of c10/cuda/CUDACachingAllocator.cpp); best fit,
// splitting, merging of neighbours; reserved falls only when the cache is
// emptied, or flushed because the driver has no more.
type heap struct {
	room func() int64 // what the driver would still give

	allocated, reserved, peak, peakReserved int64
	private                                 int64 // reserved by private pools
	retries, ooms, segments                 int64
	free                                    [4][]*piece
	stream                                  bool // take from the blocks of another stream
}

// piece is a block of a segment.
type piece struct {
	size       int64
	idle       bool
	pool       int
	prev, next *piece
}

// The pools of a heap.
const (
	poolSmall = iota
	poolLarge
	poolPrivate
	poolStream
)

const mib = 1 << 20

// take allocates; nil when it failed.
func (h *heap) take(size int64, private bool) *piece {
	size = max(512, (size+511)&^511)
	pool, want := poolLarge, (size+2*mib-1)&^(2*mib-1)
	switch {
	case size <= mib:
		pool, want = poolSmall, 2*mib
	case size < 10*mib:
		want = 20 * mib
	}
	switch {
	case private:
		pool = poolPrivate
	case h.stream:
		pool = poolStream
	}
	if b := h.fit(pool, size); b != nil {
		return h.cut(b, size)
	}
	if want > h.room() {
		h.retries++
		h.empty()
		if want > h.room() {
			h.ooms++
			return nil
		}
	}
	h.reserved += want
	h.peakReserved = max(h.peakReserved, h.reserved)
	h.segments++
	if private {
		h.private += want
	}
	b := &piece{size: want, idle: true, pool: pool}
	h.free[pool] = append(h.free[pool], b)
	return h.cut(b, size)
}

func (h *heap) fit(pool int, size int64) *piece {
	var best *piece
	for _, b := range h.free[pool] {
		if b.size >= size && (best == nil || b.size < best.size) {
			best = b
		}
	}
	return best
}

// cut takes a block into use, splitting it where the rest is worth keeping.
func (h *heap) cut(b *piece, size int64) *piece {
	h.unlist(b)
	least := int64(mib)
	if b.pool == poolSmall {
		least = 512
	}
	if rest := b.size - size; rest >= least {
		r := &piece{size: rest, idle: true, pool: b.pool, prev: b, next: b.next}
		if b.next != nil {
			b.next.prev = r
		}
		b.next, b.size = r, size
		h.free[b.pool] = append(h.free[b.pool], r)
	}
	b.idle = false
	h.allocated += b.size
	h.peak = max(h.peak, h.allocated)
	return b
}

func (h *heap) unlist(b *piece) {
	list := h.free[b.pool]
	for i := range list {
		if list[i] == b {
			list[i] = list[len(list)-1]
			h.free[b.pool] = list[:len(list)-1]
			return
		}
	}
}

// give frees a block; nil is nothing.
func (h *heap) give(b *piece) {
	if b == nil || b.idle {
		return
	}
	h.allocated -= b.size
	b.idle = true
	if n := b.next; n != nil && n.idle {
		h.unlist(n)
		b.size, b.next = b.size+n.size, n.next
		if n.next != nil {
			n.next.prev = b
		}
	}
	if p := b.prev; p != nil && p.idle {
		h.unlist(p)
		p.size, p.next = p.size+b.size, b.next
		if b.next != nil {
			b.next.prev = p
		}
		b = p
	}
	h.free[b.pool] = append(h.free[b.pool], b)
}

// empty is empty_cache: whole idle segments go back to the driver.
func (h *heap) empty() {
	for pool, list := range h.free {
		kept := list[:0]
		for _, b := range list {
			if b.prev != nil || b.next != nil {
				kept = append(kept, b)
				continue
			}
			h.reserved -= b.size
			h.segments--
			if pool == poolPrivate {
				h.private -= b.size
			}
		}
		h.free[pool] = kept
	}
}

// split is what is idle in segments that are in use.
func (h *heap) split() int64 {
	var sum int64
	for _, list := range h.free {
		for _, b := range list {
			if b.prev != nil || b.next != nil {
				sum += b.size
			}
		}
	}
	return sum
}
