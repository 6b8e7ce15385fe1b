package catalog

import (
	"fmt"
	"strings"
)

// Markdown returns docs/findings.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Findings

What vramscope says about a job's memory, cause by cause. This file is made from
the advisor's catalogue; ` + "`vramscope advise --explain ID`" + ` prints the same text.

A finding has a severity. **critical**: it failed, or will within minutes.
**warning**: it makes failure likely, or holds idle what the job could use.
**info**: true and worth knowing, no harm now. Its confidence is *fact* (the
figures say so themselves), *likely* or *possible*. Causes come before symptoms.
What a recording shows is told in the past tense.

`)
	group := ""
	for _, e := range All() {
		if e.Group != group {
			group = e.Group
			fmt.Fprintf(&b, "## %s\n\n", group)
		}
		e.markdown(&b)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (e Entry) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "### %s\n\n**%s.** %s\n\n", e.ID, e.Name, e.Meaning)
	b.WriteString("It says:\n\n")
	for _, n := range e.ClaimNames() {
		fmt.Fprintf(b, "- %s\n", placeholders(e.claims[n]))
	}
	fmt.Fprintf(b, "\nNeeds: %s.\n\nIt is this if: %s\n\nIt is not if: %s\n\n", strings.TrimRight(e.Needs, "."), e.Confirm, e.Refute)
	for _, c := range e.checks {
		fmt.Fprintf(b, "When %s: it is this if: %s It is not if: %s\n\n", c.when, c.confirm, c.refute)
	}
	if e.Folklore != "" {
		fmt.Fprintf(b, "Mind: %s\n\n", e.Folklore)
	}
	b.WriteString("What to do, least effort first:\n\n")
	for i, a := range e.Advice {
		fmt.Fprintf(b, "%d. %s", i+1, a.Do)
		if when := a.When(); when != "" {
			fmt.Fprintf(b, " *(%s)*", when)
		}
		b.WriteString("\n")
		if a.figures != "" {
			fmt.Fprintf(b, "   With the figures known: %s\n", placeholders(a.figures))
		}
		if a.Code != "" {
			fmt.Fprintf(b, "\n   ```\n")
			for _, line := range strings.Split(a.Code, "\n") {
				fmt.Fprintf(b, "   %s\n", line)
			}
			fmt.Fprintf(b, "   ```\n\n")
		}
		if a.Cost != "" {
			fmt.Fprintf(b, "   Cost: %s\n", a.Cost)
		}
		if a.Limits != "" {
			fmt.Fprintf(b, "   It will not %s\n", a.Limits)
		}
	}
	b.WriteString("\n")
}

// placeholders writes the words of a claim in angle brackets.
func placeholders(claim string) string {
	return strings.NewReplacer("{", "‹", "}", "›").Replace(claim)
}
