package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/vramscope/vramscope/monitor"
	"github.com/vramscope/vramscope/monitor/record"
)

// openInput opens a file that is read once from its beginning, standard input
// for a dash. Closing it leaves standard input open.
func openInput(sys System, name string) (io.ReadCloser, os.FileInfo, error) {
	if name == "-" {
		return io.NopCloser(sys.Stdin), nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder; name a file in it", name)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// whatAdviseReads ends the sentences about a file that is none of it.
const whatAdviseReads = "advise reads a recording, a training log, or the pasted text of an error"

// orNotUnderstood looks at what came of a text that is no recording: where
// nothing was understood because it is empty that is said, and what is no text
// is refused by name. A text that merely says nothing of memory is an answer.
func orNotUnderstood(j judgement, name string, beginning []byte) (judgement, error) {
	if len(j.found) > 0 || len(j.sources) == 0 || j.sources[0].State == monitor.StateOK {
		return j, nil
	}
	text := bytes.TrimPrefix(beginning, []byte("\xef\xbb\xbf"))
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		j.notes = []string{"nothing was understood: it is empty; " + whatAdviseReads}
		return j, nil
	case bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")):
		return j, fmt.Errorf("%s: nothing was understood: it is UTF-16; iconv -f UTF-16 -t UTF-8 makes it readable", name)
	case isBinary(text):
		return j, fmt.Errorf("%s: nothing was understood: it holds binary data; %s", name, whatAdviseReads)
	}
	return j, nil
}

// isBinary tells data from text by the characters that text has none of, in any
// encoding that has ASCII in it. A few are forgiven: terminals and files that
// were cut leave some.
func isBinary(beginning []byte) bool {
	const oneIn = 50
	odd := 0
	for _, c := range beginning {
		switch {
		case c >= ' ' && c != 0x7f, c == '\t', c == '\n', c == '\r', c == '\b', c == '\f', c == '\x1b':
		default:
			odd++
		}
	}
	return odd*oneIn > len(beginning)
}

// orPacked says more of a compressed file that is no recording.
func orPacked(err error, beginning []byte) error {
	if errors.Is(err, record.ErrNotRecording) && bytes.HasPrefix(beginning, []byte{0x1f, 0x8b}) {
		return fmt.Errorf("%w; a compressed log is read with 'gzip -dc FILE | vramscope advise -'", err)
	}
	return err
}
