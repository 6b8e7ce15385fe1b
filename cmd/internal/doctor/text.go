package doctor

import (
	"fmt"
	"io"
	"strings"

	"github.com/vramscope/vramscope/monitor/torch"
	"github.com/vramscope/vramscope/tui/text"
)

// The columns of the text form.
const (
	lineWidth  = 79 // the smallest usual terminal, less the last column
	stateWidth = 11
)

// WriteText writes the report for people: a paragraph a check, then one a job.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, c := range r.Checks {
		writeCheck(&b, "", c)
	}
	for _, j := range r.Jobs {
		writeJob(&b, j)
	}
	if len(r.Jobs) == 0 {
		b.WriteString("\nno process here uses a GPU or has PyTorch loaded\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeCheck(b *strings.Builder, before string, c Check) {
	head := fmt.Sprintf("%s%-*s ", before, stateWidth, c.State)
	paragraph(b, head, strings.Repeat(" ", len(head)), c.ID+": "+c.Reason)
	lead := "cure: "
	for cure := range strings.SplitSeq(c.Cure, cureJoint) {
		if cure != "" {
			paragraph(b, strings.Repeat(" ", len(head))+lead, strings.Repeat(" ", len(head)+6), cure)
		}
		lead = "  or: "
	}
}

func writeJob(b *strings.Builder, j Job) {
	fmt.Fprintf(b, "\nprocess %d", j.PID)
	add := func(format string, args ...any) { fmt.Fprintf(b, format, args...) }
	if j.Name != "" {
		add(" %s", j.Name)
	}
	if j.User != "" {
		add(" of %s", j.User)
	}
	if len(j.GPUs) > 0 {
		add(", GPU %s", strings.Trim(fmt.Sprint(j.GPUs), "[]"))
	}
	if j.Rank != nil {
		add(", rank %d", *j.Rank)
	}
	if j.TorchVersion != nil {
		add(", PyTorch %s", *j.TorchVersion)
	}
	if j.Allocator != "" {
		add(", figures: %s", j.Allocator)
	}
	b.WriteByte('\n')
	writeLimits(b, j)
	for _, c := range j.Checks {
		writeCheck(b, "  ", c)
	}
}

func writeLimits(b *strings.Builder, j Job) {
	var said []string
	if j.Container != nil {
		said = append(said, *j.Container)
	}
	if j.MemoryLimit != nil {
		said = append(said, "memory limit "+size(*j.MemoryLimit))
	}
	if j.MemoryUsed != nil {
		said = append(said, "in use "+size(*j.MemoryUsed))
	}
	if j.CPUs != nil {
		said = append(said, fmt.Sprintf("%.1f processors", *j.CPUs))
	}
	if j.Cpuset != nil {
		said = append(said, "on processors "+*j.Cpuset)
	}
	if j.ShmTotal != nil && j.ShmUsed != nil {
		said = append(said, fmt.Sprintf("/dev/shm %s of %s", size(*j.ShmUsed), size(*j.ShmTotal)))
	}
	if j.AllocConf != nil && *j.AllocConf != "" {
		said = append(said, "allocator settings "+*j.AllocConf)
	}
	if len(said) > 0 {
		paragraph(b, "  ", "  ", strings.Join(said, ", "))
	}
}

// paragraph writes a text broken at spaces, but not inside the line to paste.
func paragraph(b *strings.Builder, first, other, words string) {
	b.WriteString(first)
	at := text.Width(first)
	whole := strings.ReplaceAll(torch.PtracerLine, " ", "\x00")
	for i, word := range strings.Fields(strings.ReplaceAll(words, torch.PtracerLine, whole)) {
		word = strings.ReplaceAll(word, "\x00", " ")
		n := text.Width(word)
		switch {
		case i == 0:
		case at+1+n > lineWidth:
			b.WriteString("\n" + other)
			at = text.Width(other)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	b.WriteByte('\n')
}
