package cli

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vramscope/vramscope/monitor/record"
)

// adviseOf returns what advise says of a file with this content.
func adviseOf(t *testing.T, content string) (code int, stdout, stderr string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "it")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code = Main(System{Args: []string{"advise", name}, Stdout: &out, Stderr: &errs, Now: time.Now})
	return code, out.String(), errs.String()
}

func TestAdviseSaysWhyItUnderstoodNothing(t *testing.T) {
	random := make([]byte, 4000)
	for i, rng := 0, rand.New(rand.NewPCG(1, 1)); i < len(random); i++ {
		random[i] = byte(rng.UintN(256))
	}
	oom := "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.00 GiB is free.\n"
	for name, c := range map[string]struct {
		content, says string
		code          int
	}{
		"empty":            {"", "it is empty; advise reads", ExitDone},
		"blank":            {" \n\n", "it is empty; advise reads", ExitDone},
		"a mark alone":     {"\xef\xbb\xbf", "it is empty; advise reads", ExitDone},
		"a program":        {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 60), "it holds binary data; advise reads", ExitFailed},
		"noise":            {string(random), "it holds binary data; advise reads", ExitFailed},
		"UTF-16":           {"\xff\xfeh\x00i\x00\n\x00", "it is UTF-16", ExitFailed},
		"text":             {"hello\n\x1b[32mworld\x1b[0m\n", "nothing about GPU memory was understood in 2 lines", ExitDone},
		"latin text":       {"gr\xfc\xdfe aus K\xf6ln\n", "nothing about GPU memory was understood in 1 lines", ExitDone},
		"a packed log":     {"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcbH\xcd\xc9\xc9\xe7\x02\x00 0:6\x06\x00\x00\x00", "gzip -dc", ExitFailed},
		"an error":         {oom, "", ExitDone},
		"an error in data": {strings.Repeat("\x00", 300) + "\n" + oom, "", ExitDone},
	} {
		code, out, errs := adviseOf(t, c.content)
		if code != c.code || !strings.Contains(errs, c.says) || c.says == "" && errs != "" {
			t.Errorf("%s: exit code %d, said %q", name, code, errs)
		}
		if found := strings.Contains(out, "capacity"); found != strings.Contains(name, "error") || code != ExitDone && out != "" {
			t.Errorf("%s: printed %q", name, out)
		}
	}
}

func TestOnlyACompressedFileIsSaidToBeOne(t *testing.T) {
	if err := orPacked(record.ErrNotRecording, []byte("{")); strings.Contains(err.Error(), "gzip") {
		t.Error(err)
	}
	if err := errors.New("else"); orPacked(err, []byte{0x1f, 0x8b}) != err { //nolint:errorlint // the same error
		t.Error("another error was changed")
	}
}

// A log that stood still when it was opened is older than the recording of it.
func TestAdviseJudgesWhatALogSaidBeforeItsRecordingBegan(t *testing.T) {
	rows := `{"type":"header","format":1,"started":"2026-11-30T12:00:00Z","interval_ms":1000,"gpus":[]}
{"type":"log","t":-30,"src":"train.log","line":1,"text":"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.00 GiB is free. Including non-PyTorch memory, this process has 77.50 GiB memory in use. Of the allocated memory 76.00 GiB is allocated by PyTorch, and 0.10 GiB is reserved by PyTorch but unallocated."}
{"type":"log","t":-30,"src":"train.log","line":2,"text":"bye"}
{"type":"sample","t":0,"gpus":[],"procs":[],"torch":[]}
{"type":"sample","t":1,"gpus":[],"procs":[],"torch":[]}
`
	code, says, errs := adviseOf(t, rows)
	if code != ExitDone || !strings.Contains(says, "CRITICAL") || !strings.Contains(says, "2 GiB") {
		t.Errorf("code %d: %s%s", code, says, errs)
	}
}
