package monitor_test

import (
	"testing"

	"github.com/vramscope/vramscope/monitor"
)

func TestLayersSayWhatOfTheOthersIsUnseenAndWhatIsAssumed(t *testing.T) {
	s := monitor.Sample{
		GPUs: []monitor.GPU{{Index: 0, UnseenBytes: monitor.Known[int64](7), Memory: monitor.DeviceMemory{UsedBytes: monitor.Known[int64](30)}}},
		Holders: []monitor.Holder{{PID: 1, InNamespace: true, Assumed: true, UsedBytes: monitor.Known[int64](20)},
			{PID: 2, UsedBytes: monitor.Known[int64](3)}},
		Torch: []monitor.Allocator{{PID: 1, State: monitor.AllocatorOK, GPU: monitor.Known(0),
			ReservedBytes: monitor.Known[int64](15), AllocatedBytes: monitor.Known[int64](10)}},
	}
	l := monitor.LayersOf(&s, 0)
	if l.Unseen.Or(0) != 7 || l.Others.Or(0) != 10 || l.NonTorch.Or(0) != 5 || !l.Assumed {
		t.Errorf("unseen %v, others %v, non-torch %v, assumed %v", l.Unseen, l.Others, l.NonTorch, l.Assumed)
	}
	s.Holders[0].Assumed = false
	if monitor.LayersOf(&s, 0).Assumed {
		t.Error("assumed although the driver tells")
	}
}
