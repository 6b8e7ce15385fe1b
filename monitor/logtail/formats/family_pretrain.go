package formats

import "strings"

// Pre-training codes.
var pretrainFrames = []frame{
	{
		// train_gpt.py: a bare "reserved" that is a peak
		producer: "modded-nanogpt", all: []string{"peak memory allocated:", "MiB reserved:"},
		peaks: true, reset: resetNever,
	},
	{
		producer: "modded-nanogpt", all: []string{"peak memory consumption: ", " MiB"},
		labels: map[string]counter{"peak memory consumption": counterMaxA}, reset: resetNever,
	},
	{
		producer: "nanochat", all: []string{"Peak memory usage: "}, match: isNanochat,
		labels: map[string]counter{"peak memory usage": counterMaxA}, reset: resetNever,
	},
	{
		// the peak of allocated after training, of reserved after generating
		producer: "litgpt", all: []string{"Memory used: ", " GB"},
		labels: map[string]counter{"memory used": counterMisc}, divisor: 1000, reset: resetNever,
		then: litgptPeak,
	},
	{
		// callbacks/memory_monitor.py: decimal GB without a unit since 0.13,
		// raw bytes before, where "allocated" was cumulative
		producer: "Composer", any: []string{"memory/current_", "memory/peak_", "memory/allocated_mem", "memory/reserved_mem"},
		labels: map[string]counter{
			"current allocated mem": counterA, "allocated mem": counterA, "current reserved mem": counterR, "reserved mem": counterR,
			"peak allocated mem": counterMaxA, "peak reserved mem": counterMaxR,
		},
		divisor: 1000, bare: unit{power: 3, form: unitBare}, reset: resetNever,
	},
	{
		producer: "OLMo", all: []string{"System/Peak GPU Memory"},
		labels:  map[string]counter{"peak gpu memory": counterMaxA},
		divisor: 1000, reset: resetEach,
	},
	{
		producer: "nanotron", all: []string{"Memory usage: ", "Peak allocated"},
		labels: map[string]counter{"memory usage": counterA}, reset: resetNever,
	},
	{
		producer: "NeMo", any: []string{"max_memory_reserved: ", "max_memory_allocated: "}, all: []string{"global_step"},
		reset: resetNever,
	},
	{
		producer: "xtuner", all: []string{"max_memory: ", "reserved_memory: "},
		labels:  map[string]counter{"max memory": counterMaxA, "reserved memory": counterMaxR},
		divisor: 1024, reset: resetNever,
	},
	{
		producer: "ColossalAI", all: []string{"GPU: allocated ", "max allocated "},
		divisor: 1024, reset: resetEach,
	},
	{
		producer: "FairScale", all: []string{"Peak allocated bytes on cuda:"},
		divisor: 1024, reset: resetNever,
	},
}

// isNanochat tells nanochat's line from others of the same words: two
// decimals, the unit glued to them, and the end.
func isNanochat(s string) bool {
	_, rest, _ := strings.Cut(s, "Peak memory usage: ")
	rest = trimTail(rest)
	n, ok := strings.CutSuffix(rest, "MiB")
	return ok && isDecimal(n) && len(n) > 3 && n[len(n)-3] == '.'
}

// litgptPeak types "Memory used" by the line just above it.
func litgptPeak(p *Parser, d *draft) {
	switch {
	case p.note.trainedAt > 0 && p.count-p.note.trainedAt <= 3:
		d.move(counterMisc, counterMaxA)
	case p.note.inferredAt > 0 && p.count-p.note.inferredAt <= 3:
		d.move(counterMisc, counterMaxR)
	}
}
