package nvml

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vramscope/vramscope/monitor"
)

func known[T comparable](t *testing.T, what string, r monitor.Reading[T], want T) {
	t.Helper()
	if got, ok := r.Get(); !ok || got != want {
		t.Errorf("%s = %v (%v), want %v", what, got, r.Why(), want)
	}
}

func unknown[T any](t *testing.T, what string, r monitor.Reading[T], want monitor.Code) {
	t.Helper()
	if got, ok := r.Get(); ok || r.Why().Code != want {
		t.Errorf("%s = %v, known %v, because %v; want unknown: %v", what, got, ok, r.Why(), want)
	}
}

func TestTheFirstVersionStandsInForASecondThatFails(t *testing.T) {
	for _, code := range []returnCode{returnNotSupported, returnMissing, returnNoFunction, returnUnknown, returnVersion} {
		d := newGoDevice()
		d.set(on(code, "memoryV2"))
		m := readOnce(d).gpu.Memory
		if m.Source != monitor.MemoryV1 {
			t.Errorf("code %d: source %q", code, m.Source)
		}
		known(t, "used", m.UsedBytes, 11<<30)
	}
}

func TestSystemMemoryIsNeverShownForACardThatHasItsOwn(t *testing.T) {
	system := func() (memoryInfo, error) { return memoryInfo{total: 100, used: 60, free: 40}, nil }
	for _, c := range []struct {
		name   string
		v2, v1 returnCode
		total  uint64
		want   monitor.MemorySource
	}{
		{"neither supported", returnNotSupported, returnNotSupported, 1, monitor.MemorySystem},
		{"second missing, first not supported", returnMissing, returnNotSupported, 1, monitor.MemorySystem},
		{"a total of nothing", returnNotSupported, 0, 0, monitor.MemorySystem},
		{"second failed, first works", returnUnknown, 0, 1, monitor.MemoryV1},
		{"second failed, first not supported", returnUnknown, returnNotSupported, 1, ""},
		{"second not supported, first failed", returnNotSupported, returnUnknown, 1, ""},
		{"first refused", returnNotSupported, returnNoPermission, 1, ""},
	} {
		d := newGoDevice()
		d.v1 = memoryInfo{total: c.total}
		d.set(func(call string) error {
			if call == "memoryV2" && c.v2 != 0 {
				return fault{call: call, code: c.v2}
			}
			if call == "memoryV1" && c.v1 != 0 {
				return fault{call: call, code: c.v1}
			}
			return nil
		})
		m := newMemoryReader(d, system)
		got := m.read(&outcome{})
		if got.Source != c.want {
			t.Errorf("%s: source %q, want %q", c.name, got.Source, c.want)
		}
		if c.want == "" && got.UsedBytes.Known() {
			t.Errorf("%s: used %v", c.name, got.UsedBytes)
		}
	}
}

func TestMemoryFiguresThatContradictThemselvesAreNotShown(t *testing.T) {
	for _, m := range []memoryInfo{
		{total: 10, used: 11}, {total: 10, free: 11}, {total: 10, reserved: 11},
		{total: noMemory, used: noMemory, free: noMemory},
	} {
		d := newGoDevice()
		d.v2 = m
		a := readOnce(d)
		unknown(t, "used", a.gpu.Memory.UsedBytes, monitor.Failed)
		if a.gpu.State != monitor.StatePartial {
			t.Errorf("%+v: %v", m, a.gpu.State)
		}
	}
}

func TestSentinelsAndNonsenseAreNotFigures(t *testing.T) {
	unknown(t, "all ones", figure(monitor.Known[uint32](math.MaxUint32), 100, 1), monitor.NotAvailable)
	unknown(t, "too hot", figure(monitor.Known[uint32](9999), maxCelsius, 1), monitor.Failed)
	unknown(t, "count", count(monitor.Known[uint64](math.MaxUint64)), monitor.NotAvailable)
	for _, v := range []float64{-1, 106, math.Inf(1), math.Inf(-1), 9223372036854775794} {
		unknown(t, "share", share(v), monitor.Failed)
	}
	unknown(t, "share", share(math.NaN()), monitor.NotAvailable)
	known(t, "share", share(100.4), 100)
}

func TestAQuestionNeverAnsweredIsAskedOnce(t *testing.T) {
	d := newGoDevice()
	d.set(on(returnNotSupported, "eccMode", "throttle", "mps"))
	r := newGPUReader(0, d, time.Second, noSystemMemory)
	for i := range 10 {
		r.read(monitorTime.Add(time.Duration(i) * time.Minute))
	}
	for _, call := range []string{"eccMode", "throttle", "mps"} {
		if n := d.called(call); n != 1 {
			t.Errorf("%s was asked %d times", call, n)
		}
	}
	if n := d.called("compute"); n != 10 {
		t.Errorf("compute was asked %d times", n)
	}
}

func TestAFailureOfTheMomentIsAskedAgain(t *testing.T) {
	d := newGoDevice()
	r := newGPUReader(0, d, time.Second, noSystemMemory)
	d.set(on(returnUnknown, "temperature"))
	unknown(t, "temperature", r.read(monitorTime).gpu.TemperatureC, monitor.Failed)
	d.set(nil)
	known(t, "temperature", r.read(monitorTime.Add(time.Second)).gpu.TemperatureC, 40)
}

func TestAfterALostGPUNothingMoreIsAskedInThatRound(t *testing.T) {
	d := newGoDevice()
	d.set(on(returnLost, "memoryV2"))
	a := readOnce(d)
	if codeOf(a.err) != returnLost {
		t.Errorf("err %v", a.err)
	}
	for _, call := range []string{"memoryV1", "temperature", "compute"} {
		if d.called(call) != 0 {
			t.Errorf("%s was asked of a lost GPU", call)
		}
	}
}

func TestAProcessListThatIsRefusedMakesTheGPUPartial(t *testing.T) {
	d := newGoDevice()
	d.set(on(returnNoPermission, "compute"))
	if a := readOnce(d); a.gpu.State != monitor.StatePartial || a.gpu.Reason == "" {
		t.Errorf("%v %q", a.gpu.State, a.gpu.Reason)
	}
}

func TestAMIGContainerSeesTheMemoryOfItsOwnInstances(t *testing.T) {
	d := newGoDevice()
	d.mig = true
	for _, number := range []int{1, 1, 2} { // two compute instances share instance 1
		i := newGoDevice()
		i.instance = number
		i.v2 = memoryInfo{total: 10, used: 4, free: 5, reserved: 1}
		i.lists[listCompute] = []processEntry{entry(uint32(100*number), 4, listCompute)}
		d.instances = append(d.instances, i)
	}
	d.set(on(returnNoPermission, "memoryV2", "memoryV1", "compute"))
	a := readOnce(d)
	known(t, "total", a.gpu.Memory.TotalBytes, 20)
	known(t, "used", a.gpu.Memory.UsedBytes, 8)
	if a.gpu.State != monitor.StatePartial || d.called("compute") != 0 {
		t.Errorf("%v, asked the whole %d times", a.gpu.State, d.called("compute"))
	}
	got := map[int]int{}
	for _, h := range holders(nil, []listed{{split: true, entries: a.entries}}, everyone, false, false) {
		got[h.PID] = h.Instance.Or(-1)
	}
	if diff := cmp.Diff(map[int]int{100: 1, 200: 2}, got); diff != "" {
		t.Error(diff)
	}
}

func TestMemoryOfMIGDevicesIsNotAddedUpWhenTheirInstancesAreNotTold(t *testing.T) {
	d := newGoDevice()
	d.mig = true
	for range 2 {
		i := newGoDevice()
		i.set(on(returnNoPermission, "gpuInstance"))
		d.instances = append(d.instances, i)
	}
	d.set(on(returnNoPermission, "memoryV2", "memoryV1"))
	unknown(t, "total", readOnce(d).gpu.Memory.TotalBytes, monitor.NoPermission)
}

func TestWithoutVisibleInstancesTheWholeMIGDeviceIsAsked(t *testing.T) {
	d := newGoDevice()
	d.mig = true
	d.lists[listCompute] = []processEntry{{pid: 5, usedBytes: 9, instance: 3}}
	rows := holders(nil, []listed{{split: true, entries: readOnce(d).entries}}, everyone, false, false)
	if len(rows) != 1 || rows[0].Instance.Or(-1) != 3 {
		t.Errorf("%+v", rows)
	}
}

func TestChipsWithoutCountersSaySoAndAreNotAsked(t *testing.T) {
	d := newGoDevice()
	d.noGPM = true
	r := newGPUReader(0, d, time.Second, noSystemMemory)
	for i := range 3 {
		unknown(t, "SM", r.read(monitorTime.Add(time.Duration(i)*time.Second)).gpu.Activity.SMPercent, monitor.NotSupported)
	}
	if d.called("activity") != 0 || d.called("activitySupported") != 1 {
		t.Errorf("counters %d, support %d", d.called("activity"), d.called("activitySupported"))
	}
}

func TestCountersAreNotComparedOverAnInstant(t *testing.T) {
	d := newGoDevice()
	a := newActivityReader(d)
	a.read(&outcome{}, monitorTime)
	known(t, "SM", a.read(&outcome{}, monitorTime.Add(time.Millisecond)).SMPercent, 60)
	if n := d.called("activity"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	a.read(&outcome{}, monitorTime.Add(time.Second))
	a.read(&outcome{}, monitorTime) // the clock was set back
	if n := d.called("activity"); n != 3 {
		t.Errorf("asked %d times", n)
	}
}

func TestThrottleReasonsHaveNames(t *testing.T) {
	for mask, want := range map[uint64][]string{
		0: {}, 1: {"gpu-idle"}, 4 | 64: {"sw-power-cap", "hw-thermal"}, 256: {"display-clocks"}, 1 << 40: {"other"},
	} {
		if diff := cmp.Diff(want, throttleReasons(mask)); diff != "" {
			t.Errorf("%#x: %s", mask, diff)
		}
	}
}

func TestADurationIsSaidAsPeopleDo(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0 ms", 300 * time.Millisecond: "300 ms", 12 * time.Second: "12 s", 5 * time.Minute: "5 min", 3 * time.Hour: "3 h",
	} {
		if got := age(d); got != want {
			t.Errorf("%v: %q", d, got)
		}
	}
}
