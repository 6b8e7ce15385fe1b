package history

import (
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// Wholes returns copies of the whole samples taken between two times, both
// included, oldest first, as far as they are kept.
func (s *Store) Wholes(from, to time.Time) []monitor.Sample {
	fromNS, toNS := from.UnixNano(), to.UnixNano()
	var out []monitor.Sample
	for _, b := range s.whole.blocks {
		if n := len(b.timeNS); n == 0 || b.timeNS[0] > toNS || b.timeNS[n-1] < fromNS {
			continue
		}
		var pack packer
		code := b.code
		for i, at := range b.timeNS {
			code = pack.decode(code)
			if at < fromNS || at > toNS {
				continue
			}
			pack.where = b.where
			out = append(out, b.restored(pack, i))
		}
	}
	return out
}
