//go:build unix

package formats

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/vramscope/vramscope/monitor"
)

// share is one kind of line of a training log, and how many in a hundred it is.
type share struct {
	percent int
	line    func(r *rand.Rand, i int) string
}

// ordinaryMix is what a training log is made of. The kinds are those that jobs
// print, in the words they print them with: a third speaks of steps, bars or
// memory, and much of the rest has words that are nearly those (CUMEM, batch,
// saved, cache), so that the log is not one that is easy to pass over.
var ordinaryMix = []share{
	{2, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("[rank%d]:[titan] 2025-06-16 22:30:%02d,322 - root - INFO - step: %d  loss:  6.1384  memory: 49.66GiB(52.28%%)  tps: 5,856  tflops: 339.16  mfu: 34.29%%", i%8, i%60, i)
	}},
	{1, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("2023/05/24 20:17:%02d - mmengine - INFO - Epoch(train)  [2][%4d/9051]  lr: 2.0000e-03  eta: 4:33:09  time: 0.5954  data_time: 0.0321  memory: 17929  loss: 0.9%03d  loss_cls: 0.4123", i%60, i, r.IntN(999))
	}},
	{1, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("[GPU MEM step %d] allocated=10.53GB reserved=11.91GB max_allocated=11.%02dGB", i, r.IntN(99))
	}},
	{1, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("[2023-11-17 11:04:%02d,577] [INFO] [utils.py:803:see_memory_usage] MA 0.58 GB         Max_MA 26.38 GB         CA 26.71 GB         Max_CA 27 GB ", i%60)
	}},
	{6, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("step %d | loss 2.%04d | lr 1.25e-04 | grad 0.8123 | 48211 tok/s | 112.3 ms", i, r.IntN(9999))
	}},
	{5, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("{'loss': 1.%04d, 'grad_norm': 0.8123498, 'learning_rate': 1.9873e-05, 'num_tokens': %d, 'mean_token_accuracy': 0.7%03d, 'epoch': 0.%02d}", r.IntN(9999), i*4096, r.IntN(999), i%100)
	}},
	{4, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("Epoch: [3][%4d/5005]\tTime  0.401 ( 0.522)\tData  0.001 ( 0.012)\tLoss 2.%04de+00 (2.5121e+00)\tAcc@1  43.10 ( 42.90)", i, r.IntN(9999))
	}},
	{12, func(r *rand.Rand, i int) string {
		return fmt.Sprintf(" %d%%|█████████▌| %d/10000 [01:02<02:03, 12.31it/s, loss=1.2%03d]", i%100, i, r.IntN(999))
	}},
	{4, func(r *rand.Rand, i int) string {
		return "/usr/lib/python3/dist-packages/torch/nn/functional.py:5193: UserWarning: Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type for both instead."
	}},
	{4, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("node17:31123:31%03d [%d] NCCL INFO Channel %02d/0 : %d[%d] -> %d[%d] via P2P/CUMEM/read", r.IntN(999), i%8, i%16, i%8, i%8, (i+1)%8, (i+1)%8)
	}},
	{2, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("\x1b[34m\x1b[1mwandb\x1b[0m: Synced %d W&B file(s), 0 media file(s), 1 other file(s)", r.IntN(9))
	}},
	{12, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("2025-06-16 22:30:%02d,%03d INFO dataloader worker %d fetched shard_%05d.tar in %d ms, queue depth %d, lengths mean 812.3 p95 2044", i%60, i%1000, i%16, i, r.IntN(400), r.IntN(64))
	}},
	{8, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("2025-06-16 22:30:%02d.%03d | INFO     | trainer.data:collate:%d - bucket %d: 32 sequences, longest 2044, padding 11.3 %%, cache hit rate 0.9%02d", i%60, i%1000, r.IntN(400), i%16, r.IntN(99))
	}},
	{8, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("INFO:httpx:HTTP Request: POST https://tracking.example.org/api/2.0/runs/log-batch?run=%x \"HTTP/1.1 200 OK\"", r.Uint64())
	}},
	{8, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("I0424 11:22:%02d.%06d 12345 reward.py:118] sample %d: \"The capital of the country is the city in which its government sits, and\" reward=0.%03d kl=0.0%02d", i%60, r.IntN(999999), i, r.IntN(999), r.IntN(99))
	}},
	{8, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("  model.layers.%d.self_attn.q_proj.weight: shape (4096, 4096), dtype torch.bfloat16, norm 61.%04d, frozen False", i%32, r.IntN(9999))
	}},
	{6, func(r *rand.Rand, i int) string {
		return fmt.Sprintf("(RolloutWorker pid=%d, ip=10.0.0.7) INFO 06-16 22:30:%02d engine.py:310] finished request cmpl-%x, prompt tokens 812, generated %d", 4000+i%8, i%60, r.Uint32(), r.IntN(2048))
	}},
	{8, func(r *rand.Rand, i int) string { return "" }},
}

// ordinaryLog returns n lines of ordinaryMix.
func ordinaryLog(n int) []string {
	r := rand.New(rand.NewPCG(9, 9))
	lines := make([]string, 0, n)
	for i := range n {
		at := r.IntN(100)
		for _, s := range ordinaryMix {
			if at -= s.percent; at < 0 {
				lines = append(lines, s.line(r, i))
				break
			}
		}
	}
	return lines
}

func benchmarkLines(b *testing.B, lines []string) {
	p := NewParser(Config{})
	size := 0
	for _, l := range lines {
		size += len(l) + 1
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	readings := 0
	start := cpuSeconds()
	for b.Loop() {
		for i, l := range lines {
			readings += len(p.Line(monitor.LogLine{Number: int64(i + 1), Text: l}))
		}
	}
	_ = readings
	// of processor time, which a busy machine does not spoil
	b.ReportMetric(float64(size)*float64(b.N)/1e6/(cpuSeconds()-start), "MB/cpu-s")
}

func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// BenchmarkOrdinaryLog is the speed on a training log as a whole.
func BenchmarkOrdinaryLog(b *testing.B) { benchmarkLines(b, ordinaryLog(5000)) }

// BenchmarkEasierLog is the speed on a log with memory, steps, and one kind of
// chatter, which is easy to pass over.
func BenchmarkEasierLog(b *testing.B) {
	const memory, step, chatter = 2, 4, 11 // in ordinaryMix
	r := rand.New(rand.NewPCG(9, 9))
	lines := make([]string, 5000)
	for i := range lines {
		kind := chatter
		switch at := r.IntN(100); {
		case at < 5:
			kind = memory
		case at < 20:
			kind = step
		}
		lines[i] = ordinaryMix[kind].line(r, i)
	}
	benchmarkLines(b, lines)
}

// BenchmarkNothingToRead is the speed on lines that the first look passes over.
func BenchmarkNothingToRead(b *testing.B) {
	var lines []string
	for _, l := range ordinaryLog(5000) {
		if hintsIn(l) == 0 {
			lines = append(lines, l)
		}
	}
	benchmarkLines(b, lines)
}

// BenchmarkProgressOnly is the speed on step lines without memory.
func BenchmarkProgressOnly(b *testing.B) {
	lines := make([]string, 2000)
	for i := range lines {
		lines[i] = fmt.Sprintf("step %d | loss 2.%04d | lr 1.25e-04 | grad 0.8123 | 48211 tok/s | 112.3 ms", i, i)
	}
	benchmarkLines(b, lines)
}

// BenchmarkMemoryOnly is the speed on lines that all give a reading.
func BenchmarkMemoryOnly(b *testing.B) {
	lines := make([]string, 2000)
	for i := range lines {
		lines[i] = fmt.Sprintf("[rank%d]: step %d allocated: %d.%02d GB | reserved: 20.50 GB | max allocated: 18.25 GB", i%8, i, i%20, i%100)
	}
	benchmarkLines(b, lines)
}

// BenchmarkUnreadMemoryWords is the speed on lines with the words of memory
// from which nothing is read.
func BenchmarkUnreadMemoryWords(b *testing.B) {
	lines := make([]string, 2000)
	for i := range lines {
		lines[i] = fmt.Sprintf("cache miss %d: allocating buffers for shard %d on cuda stream, memory pool has %d entries", i, i%16, i%100)
	}
	benchmarkLines(b, lines)
}

func TestALineThatIsNotUnderstoodCostsNoMemory(t *testing.T) {
	lines := append(ordinaryLog(2000),
		"2025-06-16 22:30:01,100 INFO dataloader worker 3 fetched shard_00012.tar in 31 ms, queue depth 12",
		"cache miss 12: allocating buffers for shard 3 on cuda stream, memory pool has 12 entries",
		"GPU memory share is 87.5 % on cuda:3",
		"warming the memory cache, please wait",
		"\x1b[32mallocating\x1b[0m buffers, 12 MiB each",
		`{"log":"allocating \"a\", 12 MiB each\n","stream":"stderr","time":"2025-06-16T22:30:01Z"}`,
		"the trainer skips validation of the training set",
		"Epoch 3 of 10, train accuracy 0.83, val accuracy 0.81",
		"wrong: CUDA out of memory handler is missing",
	)
	p := NewParser(Config{})
	for _, l := range lines { // what is kept between lines has its size after these
		p.Line(monitor.LogLine{Text: l})
	}
	tried := map[string]bool{}
	for _, l := range lines {
		line := monitor.LogLine{Text: l}
		p.Line(line)
		kind := fmt.Sprint(len(l), l[:min(len(l), 12)])
		if p.told || tried[kind] {
			continue
		}
		tried[kind] = true
		if n := testing.AllocsPerRun(20, func() { p.Line(line) }); n > 0 {
			t.Errorf("%q costs %v allocations", l, n)
		}
	}
	if len(tried) < 30 {
		t.Errorf("only %d kinds of lines were tried", len(tried))
	}
}
