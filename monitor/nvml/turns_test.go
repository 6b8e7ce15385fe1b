package nvml

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestDevicesAreAskedOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn, inside, most := newTurns(), 0, 0
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				end := turn.take()
				inside++
				most = max(most, inside)
				time.Sleep(time.Millisecond)
				inside--
				end()
			})
		}
		all.Wait()
		if most != 1 {
			t.Errorf("%d devices were asked at the same time", most)
		}
	})
}

func TestADeviceThatHangsCostsTheOthersTheirPatienceAndNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turn := newTurns()
		endOfHung := turn.take()
		for range 3 {
			begin := time.Now()
			end := turn.take()
			if waited := time.Since(begin); waited != turnPatience {
				t.Errorf("waited %v", waited)
			}
			end()
		}
		endOfHung()
		begin := time.Now()
		turn.take()
		if waited := time.Since(begin); waited != 0 {
			t.Errorf("after it came back a device waited %v", waited)
		}
	})
}
