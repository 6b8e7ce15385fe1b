package job

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"
)

func TestAPipeGivesEverythingToAReaderThatKeepsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(100)
		var got bytes.Buffer
		go func() { _, _ = io.Copy(&got, q) }()
		var want bytes.Buffer
		for i := range 1000 {
			p := bytes.Repeat([]byte{byte(i)}, i%150+1)
			want.Write(p)
			_, _ = q.Write(p)
			synctest.Wait()
		}
		_ = q.Close()
		synctest.Wait()
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%d bytes came, %d were written", got.Len(), want.Len())
		}
	})
}

func TestAPipeSaysWhatItLeftOutAndKeepsTheNewest(t *testing.T) {
	q := newQueue(100)
	for range 50 {
		_, _ = q.Write([]byte("0123456789"))
	}
	_, _ = q.Write([]byte("the end"))
	_ = q.Close()
	got, err := io.ReadAll(q)
	if err != nil {
		t.Fatal(err)
	}
	note, rest, ok := bytes.Cut(got, []byte(" bytes of output are left out here]\r\n"))
	if !ok || !bytes.HasSuffix(rest, []byte("0123456789the end")) || len(rest) > 200 {
		t.Errorf("got %q", got)
	}
	var left int
	for _, c := range note {
		if c >= '0' && c <= '9' {
			left = 10*left + int(c-'0')
		}
	}
	if left+len(rest) != 507 {
		t.Errorf("%d left out and %d kept, of 507", left, len(rest))
	}
}
