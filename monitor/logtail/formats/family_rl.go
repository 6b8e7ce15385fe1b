package formats

// Reinforcement learning of language models: verl and its forks, slime,
// prime-rl. Their "GB" is 2^30.
var rlFrames = []frame{
	{
		producer: "verl", any: []string{"memory allocated (GB)", "memory reserved (GB)"},
		divisor: 1024,
	},
	{
		producer: "verl", any: []string{"perf/max_mem"},
		divisor: 1024, reset: resetNever,
	},
	{
		producer: "verl", all: []string{"Memory usage [", "Total: ", "Cached: "},
		labels:  map[string]counter{"cached": counterIgnored, "total": counterTotal}, // reserved − allocated
		divisor: 1024,
	},
	{
		producer: "slime", all: []string{"Memory-Usage ", "allocated_GB"},
		labels: map[string]counter{
			"total": counterTotal, "used": counterUsed, "free": counterIgnored, "allocated": counterA, "reserved": counterR,
		},
		divisor: 1024, bare: unit{power: 3, form: unitBare},
	},
	{
		// the peak of allocated before its PR 1126, of reserved since; the form
		// with the capacity has been both
		producer: "prime-rl", all: []string{"Peak Mem.:"},
		labels: map[string]counter{"peak mem": counterMaxR}, pairTotal: true, reset: resetNever,
		then: func(_ *Parser, d *draft) {
			if d.has[counterTotal] {
				d.has[counterMaxR] = false
			}
		},
	},
}
