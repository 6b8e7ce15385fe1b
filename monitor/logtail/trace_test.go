package logtail_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vramscope/vramscope/monitor/logtail"
)

const stack = `Traceback (most recent call last):
  File "/opt/train.py", line 41, in <module>
    loss.backward()
  File "/opt/torch/autograd/graph.py", line 825, in _engine_run_backward
    return Variable._execution_engine.run_backward(
`

const failure = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.11 GiB of which 512.00 MiB is free. Of the allocated memory 60.25 GiB is allocated by PyTorch, and 5.50 GiB is reserved by PyTorch but unallocated.\n"

func texts(b *bench) string {
	var all []string
	for _, l := range b.read().Lines {
		all = append(all, l.Text)
	}
	return strings.Join(all, "\n") + "\n"
}

func TestTheStackAboveAFailureIsHandedOverWithIt(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	b.add("train.log", "chatter\n"+stack+failure+"chatter\n")
	if got := texts(b); got != stack+failure {
		t.Errorf("%s", got)
	}
}

func TestTheStackComesInWithSeveralReadsAndPrefixes(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	ranked := "[rank3]: " + strings.ReplaceAll(strings.TrimSuffix(stack+failure, "\n"), "\n", "\n[rank3]: ") + "\n"
	b.add("train.log", ranked[:120])
	first := texts(b)
	b.add("train.log", ranked[120:])
	if got := texts(b); first != "\n" || got != ranked {
		t.Errorf("%s", got)
	}
}

func TestOtherStacksAreNotHandedOver(t *testing.T) {
	b := newBench(t, logtail.Config{}, "train.log")
	b.add("train.log", stack+"ValueError: no such thing\n"+line(3)+line(4))
	if got := texts(b); got != line(3)+line(4) {
		t.Errorf("%s", got)
	}
	var long strings.Builder
	for i := range 500 {
		fmt.Fprintf(&long, "  File \"/opt/deep.py\", line %d, in f\n", i)
	}
	b.add("train.log", strings.SplitAfter(stack, "\n")[0]+long.String()+failure)
	got := texts(b)
	if !strings.HasSuffix(got, "line 499, in f\n"+failure) || strings.Count(got, "\n") != 121 {
		t.Errorf("a stack of 500 lines: %d lines", strings.Count(got, "\n"))
	}
	b.add("train.log", stack+strings.Repeat("chatter\n", 2000)+failure)
	if got := texts(b); strings.Contains(got, "Traceback") || strings.Contains(got, "chatter") {
		t.Errorf("a failure far below: %d bytes", len(got))
	}
}
