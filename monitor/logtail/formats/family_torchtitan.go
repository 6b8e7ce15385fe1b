package formats

// torchtitan (components/metrics.py) and torchtune
// (torchtune/training/memory.py, training/metric_logging.py). torchtitan's
// "memory" is the peak of reserved since the line before. torchtune's "GB" is
// decimal; it has printed "GiB" since.
var torchtitanFrames = []frame{
	{
		producer: "torchtitan", all: []string{"memory: ", "tps: "},
		labels: map[string]counter{"memory": counterMaxR}, reset: resetEach,
	},
	{
		producer: "torchtitan", all: []string{" memory usage for model: "},
		labels: map[string]counter{"memory usage for model": counterMaxR}, reset: resetEach,
	},
	{
		producer: "torchtitan", all: []string{" capacity: ", "GiB memory"},
		after: map[string]counter{"memory": counterTotal},
	},
	{
		producer: "torchtitan", any: []string{"memory/max_reserved(GiB)", "memory/max_active(GiB)"},
		reset: resetEach,
	},
	{
		producer: "torchtune", any: []string{"GPU peak memory allocation:", "GPU peak memory reserved:"},
		divisor: 1000, reset: resetEach,
	},
	{
		producer: "torchtune DiskLogger", any: []string{"peak_memory_alloc:", "peak_memory_reserved:"},
		labels: map[string]counter{"peak memory alloc": counterMaxA, "peak memory reserved": counterMaxR},
		bare:   unit{power: 3, form: unitBare}, reset: resetEach,
	},
}
