package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor"
)

// phasesOf returns the phases that a text tells, in their order.
func phasesOf(text string) string {
	var all []string
	for _, r := range parseAll(text) {
		if r.Phase != "" && r.Phase != "epoch" {
			all = append(all, r.Phase)
		}
	}
	return strings.Join(all, " ")
}

func TestALineThatOnlyNamesAPhaseBeginsIt(t *testing.T) {
	for want, lines := range map[string][]string{
		"eval": {
			"validation", "Validation", "eval", "EVALUATION", "Validating...", "evaluating ...", "--- eval ---", "=== Validation ===",
			"***** EVAL *****", "Epoch 3 validation", "Epoch 3/10 - val", "Epoch [3/10] Validation:", "[Epoch 3] Validation",
			"validation epoch 4", "# Validation", "🔎 Evaluating", "Starting validation", "Validation starts", "begin evaluation",
			"Running eval loop", "phase: eval", "[validation]", "[val] epoch 3 of 10", "Validation:",
			"2025-03-01 11:22:33,123 - INFO - Validation", "2025-03-01 11:22:33,123 - trainer.loop - INFO - Validation",
			"INFO:my.module:validation", "INFO: validation", "[11:22:33] INFO     Validation", "I0424 11:22:33.123456 12345 train.py:118] validation",
			"2025-03-01 11:22:33.123 | INFO     | pkg.train:loop:12 - Epoch 3 eval", "[rank0]: Validation", "[Rank 0] validation", " 0: validation",
			"2025-03-01T11:22:33.123456789Z stdout F Validation", "trainer-1  | validation", "(TrainWorker pid=4711, ip=10.0.0.7) Validation",
			"\x1b[32mValidation\x1b[0m", "[2025-03-01 11:22:33,123] [INFO] [trainer.py:118:log] validation", "2025-03-01T11:22:33Z info validation",
			"rank 3: validation",
		},
		"train": {
			"train", "Training", "TRAIN", "--- train ---", "Epoch 3/10 - train", "Epoch 3 training", "Training:", "training ...",
			"[train] epoch 3", "start training", "Training started", "phase: train", "2025-03-01 11:22:33,123 - INFO - Training",
		},
		"": {
			// figures and results
			"val loss 0.3", "train loss 2.3", "validation 0.93", "validation: 0.93", "eval 3", "train: loss=2.31 acc=0.71",
			"validation accuracy", "Epoch 3 val loss 0.31", "best eval so far", "eval_loss: 2.1", "Validation set: 5000 samples",
			// configurations, lists, flags, paths
			"train:", "  eval:", "validation:", "- train", "  - val", "--train", "--eval", "mode=train", "split: validation", "dataset: train",
			"'train'", "\"train\"", "train, validation", "train/val", "data/train", "/mnt/data/train", "./train", "`train`", "{train}",
			"training: true", "do_eval: True", "name - train", "args.split = validation",
			// prose
			"the model is in eval", "set the model to training", "skip validation", "no validation", "validation is off", "in training",
			"trained", "retrain", "train.py", "evaluate.py", "trainer", "Training data", "validation split", "rain", "medieval",
			"train validation", "loaded train and validation", "Validation failed", "pip install train",
		},
	} {
		for _, l := range lines {
			if want == "" && l == "in training" {
				continue // "in training" may say either
			}
			if got := phasesOf(l); got != want {
				t.Errorf("%q gives %q, want %q", l, got, want)
			}
		}
	}
}

func TestTheEndOfAnEvaluationMattersAndBeginsNothing(t *testing.T) {
	for _, l := range []string{"validation done", "Validation finished in 12.3 s", "Evaluation complete", "eval done", "=== END VALIDATION ===", "=== Stage 2 ==="} {
		p := NewParser(Config{})
		got := p.Line(monitor.LogLine{Text: l})
		if len(got) != 0 || !p.Used() {
			t.Errorf("%q: %+v, used %v", l, got, p.Used())
		}
	}
}

func TestALoopBeginsItsPhaseWithItsFirstLine(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"bars": {
			"Training:   3%|▎ | 3/100 [00:01<00:30,  3.2it/s]\rTraining:   4%|▎ | 4/100 [00:01<00:30,  3.2it/s]\n" +
				"Validation:   0%|  | 0/9 [00:00<?, ?it/s]\rValidation:  50%|▌ | 4/9 [00:01<00:01,  3.2it/s]\nTraining:   5%|▎ | 5/100 [00:01<00:30,  3.2it/s]",
			"train eval train",
		},
		"an evaluation after steps that do not say what they are": {
			"Evaluating:  10%|█ | 1/10\nEvaluating:  20%|█ | 2/10\n{'loss': 1.5, 'epoch': 0.5}\nEvaluating:  10%|█ | 1/10", "eval eval",
		},
		"mmengine": {
			"2023/06/01 10:11:12 - mmengine - INFO - Epoch(train)  [1][ 50/100]  lr: 2.0e-03  memory: 5123  loss: 0.9\n" +
				"2023/06/01 10:11:12 - mmengine - INFO - Epoch(train)  [1][100/100]  lr: 2.0e-03  memory: 5123  loss: 0.9\n" +
				"2023/06/01 10:11:12 - mmengine - INFO - Epoch(val)  [1][10/20]  eta: 0:00:01  memory: 1123\n" +
				"2023/06/01 10:11:12 - mmengine - INFO - Epoch(val)  [1][20/20]  eta: 0:00:01  memory: 1123\n" +
				"2023/06/01 10:11:12 - mmengine - INFO - Epoch(train)  [2][ 50/100]  lr: 2.0e-03  memory: 5123  loss: 0.9",
			"train eval train",
		},
		"torchvision": {
			"Epoch: [0]  [ 10/100]  eta: 0:08:42  lr: 0.1  loss: 5.4  time: 0.1  data: 0.0  max mem: 1927\n" +
				"Test:  [ 0/50]  eta: 0:01:00  loss: 4.4  time: 0.1  data: 0.0  max mem: 1927\n" +
				"Test:  [10/50]  eta: 0:01:00  loss: 4.4  time: 0.1  data: 0.0  max mem: 1927\n" +
				"Epoch: [1]  [ 10/100]  eta: 0:08:42  lr: 0.1  loss: 5.4  time: 0.1  data: 0.0  max mem: 1927\n" +
				"Test:  [ 0/50]  eta: 0:01:00  loss: 4.4  time: 0.1  data: 0.0  max mem: 1927",
			"eval eval",
		},
		"bare words, every time": {"validation\nvalidation", "eval eval"},
		"steps do not begin one": {"step 1 train loss 2.3\nstep 2 train loss 2.2\nvalidation\nstep 3 train loss 2.3", "eval"},
	} {
		if got := phasesOf(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestFrameworksTellTheirPhases(t *testing.T) {
	for text, want := range map[string]string{
		"***** Running Evaluation *****":                                                              "eval",
		"***** Evaluating perplexity, Epoch 1/2 *****":                                                "eval",
		"[04/05 01:30:24 d2.evaluation.evaluator]: Start inference on 620 batches":                    "eval",
		"begin validation on \"valid\" subset":                                                        "eval",
		"Validation DataLoader 0:  50%|█████     | 5/10 [00:01<00:01,  4.1it/s]":                      "eval",
		"Sanity Checking DataLoader 0:   0%|          | 0/2 [00:00<?, ?it/s]":                         "eval",
		"evaluating iter 3/10":                                                                        "eval",
		"saving checkpoint at iteration     500 to /ckpt in torch_dist format":                        "checkpoint",
		"Restored all states from the checkpoint at /ckpt/last.ckpt":                                  "load",
		"load checkpoint from local path: work_dirs/epoch_3.pth":                                      "load",
		"2021-03-08 12:31:36 | INFO | fairseq.trainer | begin training epoch 4":                       "train",
		"Training Epoch: 1/3, step 99/100 completed (loss: 0.41): 100%|██████| 100/100 [01:01<00:00]": "train",
	} {
		if got := phasesOf(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestTroubleOfTheHostMattersAndIsNoReading(t *testing.T) {
	for _, l := range []string{
		"ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
		"RuntimeError: [enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator: can't allocate memory: you tried to allocate 12884901888 bytes.",
		"[991.0] Out of memory: Killed process 4711 (python3) total-vm:98765432kB, anon-rss:61234567kB",
		"slurmstepd: error: Detected 1 oom_kill event in StepId=991.0.",
		"OSError: [Errno 12] Cannot allocate memory",
		"RuntimeError: CUDA error: uncorrectable ECC error encountered",
	} {
		p := NewParser(Config{})
		if got := p.Line(monitor.LogLine{Text: l}); len(got) != 0 || !p.Used() {
			t.Errorf("%q: %+v, used %v", l, got, p.Used())
		}
	}
}

func TestAnEpochBeginsOnceWhateverRanksSay(t *testing.T) {
	var text strings.Builder
	for step := range 40 {
		for rank := range 3 {
			fmt.Fprintf(&text, "[rank%d]: epoch %d step %d loss 2.1\n", rank, (step+rank*3)/10, step)
		}
	}
	text.WriteString("[rank0]: epoch 9 step 1\n[rank0]: epoch 0 step 0\n")
	began := 0
	for _, r := range parseAll(text.String()) {
		if r.Phase == "epoch" {
			began++
		}
	}
	if began != 7 { // 0 to 4, 9, and 0 again
		t.Errorf("%d epochs began", began)
	}
}
