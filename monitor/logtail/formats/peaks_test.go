package formats

import "testing"

func TestAFigureThatCanBeAPeakAmongPeaksIsNoCurrentOne(t *testing.T) {
	for text, want := range map[string]string{
		// the words say so
		"peak memory allocated: 3 GiB reserved: 4 GiB":  "maxA=3Gi maxR=4Gi",
		"Max memory allocated = 3 GiB, reserved = 4GiB": "maxA=3Gi maxR=4Gi",
		// they do not
		"max_allocated: 3 GiB device_reserved: 4 GiB":  "maxA=3Gi",
		"max_memory=3GiB reserved_memory=4GiB":         "",
		"peak_mem=3GiB allocated=2GiB":                 "",
		"step 3 max_alloc=3GiB reserved=4GiB loss=0.3": "maxA=3Gi step=3",
		// they say what they are, or the peak of the same stands beside them
		"max_memory_allocated: 3 GiB, memory_reserved: 4 GiB":     "maxA=3Gi R=4Gi",
		"max_alloc=3GiB current_reserved=4GiB":                    "maxA=3Gi R=4Gi",
		"allocated: 3 GiB, max allocated: 4 GiB":                  "A=3Gi maxA=4Gi",
		"allocated: 3 GiB, reserved: 5 GiB, max allocated: 4 GiB": "A=3Gi R=5Gi maxA=4Gi",
		"max memory: 16 GiB, allocated: 3 GiB, reserved: 4 GiB":   "A=3Gi R=4Gi",
		"memory allocated: 3 GiB peak memory allocated: 3.5 GiB":  "A=3Gi maxA=3.5Gi",
	} {
		if got := digest(parseAll(text)); got != claim(t, want) {
			t.Errorf("%q gives %s, want %s", text, got, claim(t, want))
		}
	}
}

func TestAnAmountOfMemoryReservedIsOfADeviceOnlyIfTheLineNamesOne(t *testing.T) {
	for text, want := range map[string]string{
		"3.5 GB of memory reserved.":            "",
		"job 812: 64 GB of memory reserved":     "",
		"3.5 GiB of GPU memory reserved.":       "R=3.5Gi",
		"cuda:0 has 3.5 GiB of memory reserved": "R=3.5Gi gpu=0",
	} {
		if got := digest(parseAll(text)); got != claim(t, want) {
			t.Errorf("%q gives %s, want %s", text, got, claim(t, want))
		}
	}
}
