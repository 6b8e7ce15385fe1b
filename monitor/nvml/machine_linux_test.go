//go:build linux && cgo

package nvml

import (
	"context"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
)

// TestThisMachinesOwnDriver reads the real driver where there is one.
func TestThisMachinesOwnDriver(t *testing.T) {
	s := New(Config{})
	defer s.Close() //nolint:errcheck // the reading is what is tested
	first := s.Read(context.Background(), monitor.Request{Time: time.Now()})
	if s.Absent() {
		t.Skip("no NVIDIA driver or GPU on this machine: ", s.Err())
	}
	t.Logf("first read %v: %v %s, driver %s", first.Status.Took, first.Status.State, first.Status.Reason, first.Driver)
	for range 5 {
		next := time.NewTimer(200 * time.Millisecond)
		<-next.C
		part := s.Read(context.Background(), monitor.Request{Time: time.Now()})
		t.Logf("read %v: %v %s", part.Status.Took, part.Status.State, part.Status.Reason)
		for _, g := range part.GPUs {
			t.Logf("%+v", g)
			total, used, free := g.Memory.TotalBytes.Or(0), g.Memory.UsedBytes.Or(0), g.Memory.FreeBytes.Or(0)
			if g.Memory.Source == monitor.MemoryV2 && total != used+free+g.Memory.DriverReservedBytes.Or(0) {
				t.Errorf("total %d is not used %d + free %d + driver-reserved %v", total, used, free, g.Memory.DriverReservedBytes)
			}
		}
		for _, h := range part.Holders {
			t.Logf("%+v", h)
		}
	}
}

// BenchmarkQuestions says what each question costs on this machine's driver.
func BenchmarkQuestions(b *testing.B) {
	drv := newDriver()
	if _, err := drv.open(); err != nil {
		b.Skip(err)
	}
	defer drv.close() //nolint:errcheck // nothing depends on it
	dev, err := drv.device(0)
	if err != nil {
		b.Fatal(err)
	}
	defer dev.release()
	var entries []processEntry
	list := func(which processList) func() error {
		return func() (err error) { entries, err = dev.processes(which, entries[:0]); return err }
	}
	for _, q := range []struct {
		name string
		ask  func() error
	}{
		{"name", func() error { _, err := dev.name(); return err }},
		{"memoryV2", func() error { _, err := dev.memoryV2(); return err }},
		{"memoryV1", func() error { _, err := dev.memoryV1(); return err }},
		{"utilisation", func() error { _, err := dev.utilisation(); return err }},
		{"temperature", func() error { _, err := dev.temperature(); return err }},
		{"powerUsage", func() error { _, err := dev.powerUsage(); return err }},
		{"powerLimit", func() error { _, err := dev.powerLimit(); return err }},
		{"smClock", func() error { _, err := dev.smClock(); return err }},
		{"memClock", func() error { _, err := dev.memClock(); return err }},
		{"throttle", func() error { _, err := dev.throttle(); return err }},
		{"eccMode", func() error { _, err := dev.eccMode(); return err }},
		{"eccCorrected", func() error { _, err := dev.eccCorrected(); return err }},
		{"rowRemaps", func() error { _, err := dev.rowRemaps(); return err }},
		{"retiredPages", func() error { _, err := dev.retiredPages(); return err }},
		{"migMode", func() error { _, err := dev.migMode(); return err }},
		{"listCompute", list(listCompute)},
		{"listGraphics", list(listGraphics)},
		{"listMPS", list(listMPS)},
		{"activity", func() error { _, err := dev.activity(); return err }},
	} {
		b.Run(q.name, func(b *testing.B) {
			err := q.ask()
			for b.Loop() {
				_ = q.ask()
			}
			if err != nil {
				b.Log(err)
			}
		})
	}
}
