package formats

import "strings"

// The trainers of computer vision. Their "memory" is the peak of allocated in
// MiB, mostly without a unit.
var visionFrames = []frame{
	{
		// mmengine/device/utils.py resets the peak at every read
		producer: "mmengine", all: []string{"memory: "}, any: []string{"Epoch(train)", "Iter(train)", "mmengine"},
		labels: map[string]counter{"memory": counterMaxA},
		bare:   unit{power: 2, form: unitBinary}, reset: resetEach, zeroNone: true,
	},
	{
		producer: "mmcv", all: []string{"memory: ", "time: "}, any: []string{"Epoch [", "Iter ["},
		labels: map[string]counter{"memory": counterMaxA},
		bare:   unit{power: 2, form: unitBinary}, reset: resetNever, zeroNone: true,
	},
	{
		producer: "detectron2", all: []string{"max_mem: "},
		labels:  map[string]counter{"max mem": counterMaxA},
		divisor: 1024, bare: unit{power: 2, form: unitBinary}, reset: resetNever, zeroNone: true,
	},
	{
		producer: "torchvision MetricLogger", all: []string{"max mem: "}, any: []string{"eta: ", "data: ", "Epoch: [", "Epoch ["},
		labels:  map[string]counter{"max mem": counterMaxA},
		divisor: 1024, bare: unit{power: 2, form: unitBinary}, reset: resetNever, zeroNone: true,
	},
	{
		producer: "Swin", all: []string{"mem ", "eta "}, any: []string{"Train: [", "Test: ["},
		labels:  map[string]counter{"mem": counterMaxA},
		divisor: 1024, reset: resetNever,
	},
	{
		producer: "Swin", all: []string{"Test: [", "Mem ", "Loss "},
		labels:  map[string]counter{"mem": counterMaxA},
		divisor: 1024, reset: resetNever,
	},
	{
		producer: "YOLOX", all: []string{"iter_time:", "gpu mem: "},
		labels:  map[string]counter{"gpu mem": counterMaxA, "mem": counterIgnored}, // the second is the host's
		divisor: 1024, reset: resetNever,
	},
	{
		producer: "YOLOX", all: []string{"iter_time:", "mem: "},
		labels:  map[string]counter{"mem": counterMaxA},
		divisor: 1024, reset: resetNever,
	},
	{
		producer: "SlowFast", all: []string{"json_stats:", "gpu_mem"},
		labels:  map[string]counter{"gpu mem": counterMaxA},
		divisor: 1024, reset: resetNever,
	},
	{
		producer: "Ultralytics", all: []string{"CUDA:", "MiB)"}, any: []string{"YOLOv5", "Ultralytics"},
		first: counterTotal, then: yoloBanner,
	},
	{
		producer: "PyTorch", all: []string{"_CudaDeviceProperties(", "total_memory="},
		labels: map[string]counter{"total memory": counterTotal}, divisor: 1024,
	},
	{
		producer: "Ultralytics", match: isYOLORow,
		first: counterR, zeroNone: true, then: yoloRow,
	},
}

// isYOLORow recognises "  70/1000  6.73G  1.081  0.47  1.08  10  640: 100%|":
// the columns are named in a row far above.
func isYOLORow(s string) bool {
	if t := strings.TrimLeft(s, " "); t == "" || !isDigit(t[0]) {
		return false
	}
	f := strings.Fields(s[:min(len(s), 200)])
	if len(f) < 6 || !isFraction(f[0]) {
		return false
	}
	g := f[1]
	if len(g) < 2 || g[len(g)-1] != 'G' || !isDecimal(g[:len(g)-1]) {
		return false
	}
	n := 2
	for n < len(f) && isDecimal(f[n]) {
		n++
	}
	return n >= 5 && n < len(f) && strings.HasSuffix(f[n], ":") && isDecimal(strings.TrimSuffix(f[n], ":"))
}

func isFraction(s string) bool {
	a, b, ok := strings.Cut(s, "/")
	_, one := small(a, 1<<20)
	_, two := small(b, 1<<20)
	return ok && one && two && isDecimal(a) && isDecimal(b)
}

func isDecimal(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) && s[i] != '.' {
			return false
		}
	}
	return s != "" && s != "."
}

// yoloRow takes the epoch and settles the unit: 1e9 in YOLOv5 and early
// Ultralytics, 2^30 in 8.3.
func yoloRow(p *Parser, d *draft) {
	if len(p.toks) > 0 && p.toks[0].whole {
		p.linestep.epoch, p.linestep.hasEpoch = p.toks[0].value, true
	}
	if p.note.yoloDivisor == 0 || !d.has[counterR] {
		return
	}
	for _, f := range p.figs {
		if f.counter == counterR {
			if b, ok := f.unit.toBytes(f.value, p.note.yoloDivisor == 1024); ok {
				d.bytes[counterR], d.basis = b, inferred
			}
		}
	}
}

// yoloBanner learns the version that decides the unit of the rows.
func yoloBanner(p *Parser, _ *draft) {
	s := p.text
	if strings.Contains(s, "YOLOv5") {
		p.note.yoloDivisor = 1000
		return
	}
	i := strings.Index(s, "Ultralytics ")
	if i < 0 {
		return
	}
	v := strings.TrimPrefix(s[i+len("Ultralytics "):], "YOLOv")
	var major, minor int
	for n, part := range strings.SplitN(v, ".", 3) {
		x := 0
		for j := 0; j < len(part) && isDigit(part[j]) && j < 4; j++ {
			x = x*10 + int(part[j]-'0')
		}
		switch n {
		case 0:
			major = x
		case 1:
			minor = x
		}
	}
	switch {
	case major > 8 || major == 8 && minor >= 3:
		p.note.yoloDivisor = 1024
	case major == 8 && minor <= 1:
		p.note.yoloDivisor = 1000
	}
}
