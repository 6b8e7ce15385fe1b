package formats

// The Hugging Face trainers and what is built on them.
var huggingfaceFrames = []frame{
	{
		// transformers/trainer_pt_utils.py: log_metrics shifts by 20 bits, the
		// dictionary and the JSON file have bytes; everything "delta" is one.
		producer: "HF Trainer", all: []string{"before_init_mem_gpu"},
		labels:  map[string]counter{"before init mem gpu": counterA},
		divisor: 1024, bare: unit{form: unitBytes, letter: true},
	},
	{
		// only "(max)" is absolute, the other lines are differences
		producer: "PEFT TorchTracemalloc", all: []string{"GPU Total Peak Memory consumed during the ", "(max)"},
		labels: map[string]counter{
			"gpu total peak memory consumed during the train": counterMaxA,
			"gpu total peak memory consumed during the eval":  counterMaxA,
		},
		bare: unit{power: 2, form: unitBinary},
	},
	{
		// utils/bench.py of 2023 to 2025: cache is reserved − allocated, misc
		// is what the driver counts beyond reserved
		producer: "Axolotl", any: []string{"GB cache", "GB misc)"}, all: []string{"memory usage ", "(+"},
		first: counterA, after: map[string]counter{"cache": counterCache, "misc": counterMisc},
		divisor: 1024, signed: true, then: axolotlSum,
	},
	{
		// later: absolute peaks in spite of the plus signs
		producer: "Axolotl", all: []string{" memory active: ", "GB allocated, +"},
		divisor: 1024, signed: true, peaks: true, reset: resetEach,
	},
	{
		producer: "Axolotl", all: []string{"[axolotl.", "GPU memory after "},
		first: counterUsed, divisor: 1024,
	},
	{
		producer: "Axolotl", any: []string{"memory/device_reserved (GiB)", "memory/device_mem_reserved(gib)", "memory/max_allocated (GiB)", "memory/max_mem_allocated(gib)"},
		peaks: true, reset: resetEach,
	},
	{
		// peaks, although the keys do not say so
		producer: "LLaMA-Factory", all: []string{"vram_allocated", "vram_reserved", "total_steps"},
		labels: map[string]counter{"vram allocated": counterMaxA, "vram reserved": counterMaxR},
		bare:   unit{power: 3, form: unitBinary}, reset: resetNever,
	},
	{
		// a sum over the visible devices of the process
		producer: "ms-swift", all: []string{"memory(GiB)"},
		labels: map[string]counter{"memory": counterMaxR}, reset: resetNever,
	},
	{
		producer: "Unsloth", any: []string{"GPU = ", "GPU: "}, all: []string{"Max memory"},
		labels: map[string]counter{"max memory": counterTotal}, divisor: 1024,
	},
	{
		producer: "Unsloth", all: []string{" GB of memory reserved"},
		divisor: 1024, peaks: true, reset: resetNever,
	},
	{
		producer: "Unsloth", all: []string{"Peak reserved memory = "},
		divisor: 1024, reset: resetNever,
	},
}

// axolotlSum adds up what Axolotl prints as differences.
func axolotlSum(_ *Parser, d *draft) {
	if !d.has[counterA] {
		return
	}
	d.set(counterR, d.bytes[counterA]+d.bytes[counterCache])
	if d.has[counterMisc] {
		d.set(counterUsed, d.bytes[counterR]+d.bytes[counterMisc])
	}
}
