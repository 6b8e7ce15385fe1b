package cli

import "testing"

func TestTheCollectorAlwaysHasRoomForMoreThanIsInUse(t *testing.T) {
	if got := softLimitBytes(4 << 20); got != 15<<20 {
		t.Errorf("4 MiB in use get %d bytes", got)
	}
	for live := int64(1 << 20); live < 1<<32; live *= 2 {
		if got := softLimitBytes(live); got < live+live/4+6<<20 {
			t.Errorf("%d bytes in use get %d", live, got)
		}
	}
}
