package formats

import "strings"

// Tools, user interfaces and inference servers.
var toolFrames = []frame{
	{
		// peaks of the job; "active" is neither counter
		producer: "A1111", all: []string{"Torch active/reserved:"},
		labels: map[string]counter{"sys vram": counterUsed}, peaks: true,
	},
	{
		producer: "pytorch_memlab", all: []string{"The allocated memory on cuda"},
		divisor: 1024,
	},
	{
		producer: "RecBole", all: []string{"GPU RAM: ", " G/"},
		labels: map[string]counter{"gpu ram": counterMaxR}, pairTotal: true, divisor: 1024, reset: resetNever,
	},
	{
		producer: "RecStudio", all: []string{"GPU RAM: ", "Train time"},
		labels: map[string]counter{"gpu ram": counterMaxR}, pairTotal: true, divisor: 1024, reset: resetNever,
	},
	{
		producer: "Lightning GPUStatsMonitor", all: []string{"gpu_id: ", "memory.used (MB)"},
		labels: map[string]counter{"memory used": counterUsed}, divisor: 1024,
	},
	{
		producer: "W&B", all: []string{"system.gpu.", "memoryAllocatedBytes"},
		labels: map[string]counter{"memory allocated bytes": counterUsed}, bare: unit{form: unitBytes}, then: wandbDevice,
	},
	{
		producer: "Paddle", all: []string{"max_mem_reserved", "avg_reader_cost"},
		divisor: 1024,
	},
	{
		producer: "vLLM", all: []string{"can use total_gpu_memory ("},
		first: counterTotal,
		then: func(_ *Parser, d *draft) { // the product on the same line is a plan
			*d = draft{frame: d.frame, basis: d.basis, has: [counters]bool{counterTotal: d.has[counterTotal]}, bytes: d.bytes}
		},
	},
	{
		// plans, components and differences, none of them a counter
		producer: "vLLM", any: []string{"KV Cache", "KV cache", "kv cache", "KV_cache", "model weights take", "Model loading took", "non_torch_memory"},
		silent: true,
	},
}

// wandbDevice reads the device in "system.gpu.0.memoryAllocatedBytes".
func wandbDevice(p *Parser, _ *draft) {
	_, rest, _ := strings.Cut(p.text, "system.gpu.")
	digits, _, _ := strings.Cut(rest, ".")
	if n, ok := small(digits, maxDevice); ok {
		p.lineplace.gpu, p.lineplace.hasGPU = n, true
	}
}
