//go:build linux && cgo

package nvml

import (
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/nvml/fakedriver"
)

// watchSource is source with waiting for events.
func (f *fake) watchSource() *Source {
	f.t.Helper()
	fakeProc(f.t, f.proc, initPIDNamespace)
	s := New(Config{ProcRoot: f.proc, Timeout: 20 * time.Second, StartTimeout: 20 * time.Second, Watch: true})
	f.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			f.t.Error(err)
		}
	})
	return s
}

// until reads until done is satisfied.
func (f *fake) until(s *Source, done func(part monitor.Part) bool) {
	f.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if done(f.read(s)) {
			return
		}
	}
	f.t.Fatalf("nothing came in 30 s; watching: %v", s.Watching())
}

func TestXidsOfTheLibraryCarryTheIndexOfTheirDevice(t *testing.T) {
	for name, opts := range map[string]fakedriver.Options{
		"newest":          {},
		"without wait_v2": {Missing: []string{"nvmlEventSetWait_v2"}},
		"without kinds":   {Missing: []string{"nvmlDeviceGetSupportedEventTypes"}},
	} {
		t.Run(name, func(t *testing.T) {
			withDriver(t, opts, &fakedriver.Config{GPUs: 3}, func(f *fake) {
				s := f.watchSource()
				f.read(s)
				f.set((&fakedriver.Config{GPUs: 3}).Xid(2, 79).MemoryError(1))
				var told []string
				f.until(s, func(part monitor.Part) bool {
					for _, l := range part.Lines {
						told = append(told, l.Text)
					}
					return len(told) >= 2
				})
				if told[0] != "NVRM: Xid (GPU 2): 79, the GPU has fallen off the bus" || told[1] != "NVRM: GPU 1: uncorrectable ECC error" {
					t.Errorf("%q", told)
				}
				if err := s.Watching(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestLibrariesWithoutEventsSayWhyAndAreReadAsEver(t *testing.T) {
	for name, c := range map[string]struct {
		opts fakedriver.Options
		cfg  *fakedriver.Config
		want returnCode
	}{
		"no such function":    {fakedriver.Options{Missing: []string{"nvmlEventSetCreate"}}, &fakedriver.Config{GPUs: 1}, returnMissing},
		"WSL":                 {fakedriver.Options{}, &fakedriver.Config{GPUs: 1, EventsRet: fakedriver.ReturnNotSupported}, returnNotSupported},
		"wait not supported":  {fakedriver.Options{}, &fakedriver.Config{GPUs: 1, WaitRet: fakedriver.ReturnNotSupported}, returnNotSupported},
		"no kinds":            {fakedriver.Options{}, (&fakedriver.Config{GPUs: 1}).Set(0, "no-events", 1), returnNotSupported},
		"one of two has them": {fakedriver.Options{}, (&fakedriver.Config{GPUs: 2}).Set(1, "no-events", 1), returnNotSupported},
	} {
		t.Run(name, func(t *testing.T) {
			withDriver(t, c.opts, c.cfg, func(f *fake) {
				s := f.watchSource()
				f.until(s, func(part monitor.Part) bool {
					state(t, part, monitor.StateOK)
					return s.Watching() != nil
				})
				if codeOf(s.Watching()) != c.want {
					t.Error(s.Watching())
				}
			})
		})
	}
}

func TestAWaitThatHangsInTheLibraryDoesNotKeepTheProgramFromEnding(t *testing.T) {
	withDriver(t, fakedriver.Options{}, &fakedriver.Config{GPUs: 1, WaitHang: true}, func(f *fake) {
		s := f.watchSource()
		f.until(s, func(monitor.Part) bool { return f.calls()["nvmlEventSetWait_v2"] > 0 })
		state(t, f.read(s), monitor.StateOK)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if f.calls()["nvmlShutdown"] != 0 {
			t.Error("the library was shut down under a wait")
		}
	})
}
