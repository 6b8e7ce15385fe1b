package formats

// Megatron-LM (megatron/training/utils/common_utils.py) and what descends from
// it tell the unit once, in front of the fields.
var megatronFrames = []frame{
	{
		producer: "Megatron-Bridge", all: []string{"-gigabytes:"},
		divisor: 1000, reset: resetNever,
	},
	{
		producer: "ONNX Runtime ORTModule", all: []string{"memory (MiB) |"},
		reset: resetNever,
	},
	{
		producer: "Megatron-LM", all: []string{"memory (MB) |"},
		labels:  map[string]counter{"total device memory used": counterUsed},
		divisor: 1024, reset: resetNever,
	},
}
