package advisor_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/advisor"
)

// The time at which a pasted message is read says nothing of when it failed.
func TestAPastedMessageHasNoTime(t *testing.T) {
	input := pasted("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 24.00 GiB of which 1.00 GiB is free. Of the allocated memory 20.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.")
	for i := range input.Readings {
		input.Readings[i].Time = time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	}
	found := advisor.Advise(input)
	if len(found) == 0 || !found[0].From.IsZero() || !found[0].To.IsZero() {
		t.Fatalf("%+v", found)
	}
	var out strings.Builder
	if err := advisor.WriteText(&out, found, advisor.TextOptions{}); err != nil || strings.Contains(out.String(), "03:00") {
		t.Errorf("%v: %s", err, out.String())
	}
}
