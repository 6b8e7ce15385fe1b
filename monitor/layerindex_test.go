package monitor

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

func TestTheIndexGivesTheLayersThatTheSampleGives(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var x LayerIndex // used again, as for sample after sample
	for range 200 {
		var s Sample
		for g := range 1 + r.IntN(4) {
			c := card(r.Int64N(100))
			c.GPUs[0].Index = g
			s.GPUs = append(s.GPUs, c.GPUs[0])
		}
		for range r.IntN(12) {
			h := holder(1+r.IntN(6), r.Int64N(50))
			h.GPU, h.InNamespace, h.Assumed = r.IntN(4), r.IntN(4) > 0, r.IntN(4) == 0
			s.Holders = append(s.Holders, h)
		}
		for range r.IntN(8) {
			a := allocator(1+r.IntN(6), r.Int64N(20), 20+r.Int64N(20))
			a.GPU = Known(r.IntN(5))
			switch r.IntN(5) {
			case 0:
				a.GPU, a.State = Unknown[int](NotAvailable, ""), AllocatorDenied
			case 1:
				a.GPU = Unknown[int](NotAvailable, "")
			case 2:
				a.Origin, a.State = OriginLog, AllocatorState(r.IntN(5))
			}
			s.Torch = append(s.Torch, a)
		}
		x.Index(&s)
		for g := range 6 {
			if got, want := x.Layers(g), LayersOf(&s, g); !reflect.DeepEqual(got, want) {
				t.Fatalf("device %d of %+v: %+v, want %+v", g, s, got, want)
			}
		}
	}
}
