package catalog

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const docs = "../../docs/findings.md"

// UPDATE_DOCS=1 go test ./advisor/catalog writes docs/findings.md anew.
func TestTheDocumentIsTheCatalogue(t *testing.T) {
	want := Markdown()
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(docs, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the catalogue says; run UPDATE_DOCS=1 go test ./advisor/catalog", docs)
	}
}

func TestEveryCauseSaysWhatItIsAndWhatToDo(t *testing.T) {
	seen := map[ID]bool{}
	for _, e := range All() {
		if seen[e.ID] {
			t.Errorf("%s stands twice", e.ID)
		}
		seen[e.ID] = true
		for what, text := range map[string]string{"name": e.Name, "group": e.Group, "meaning": e.Meaning, "needs": e.Needs, "confirm": e.Confirm, "refute": e.Refute} {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s has no %s", e.ID, what)
			}
		}
		if len(e.claims) == 0 || len(e.Advice) == 0 || e.Place == 0 {
			t.Errorf("%s: %d claims, %d advice, place %d", e.ID, len(e.claims), len(e.Advice), e.Place)
		}
		if len(e.AdviceFor(nil, nil)) == 0 {
			t.Errorf("%s has no advice without circumstances", e.ID)
		}
		for _, name := range e.ClaimNames() {
			if strings.HasSuffix(e.claims[name], ".") {
				t.Errorf("%s: the sentence %q ends with a full stop", e.ID, name)
			}
		}
		for _, a := range e.Advice {
			if !strings.HasSuffix(a.Do, ".") && !strings.HasSuffix(a.Do, ")") {
				t.Errorf("%s: %q is no sentence", e.ID, a.Do)
			}
		}
	}
	if len(seen) != 40 {
		t.Errorf("%d causes, the list has 40", len(seen))
	}
}

//nolint:misspell // these are the words to look for
var american = regexp.MustCompile(`(?i)\b(color|behavior|optimiz(e|es|ing)|initializ\w+|normaliz\w+|memoriz\w+|recogniz\w+|center)\b`)

func TestTheTextsAreBritish(t *testing.T) {
	for _, e := range All() {
		texts := []string{e.Name, e.Meaning, e.Needs, e.Confirm, e.Refute, e.Folklore}
		for _, n := range e.ClaimNames() {
			texts = append(texts, e.claims[n])
		}
		for _, a := range e.Advice {
			texts = append(texts, a.Do, a.Cost, a.Limits)
		}
		for _, text := range texts {
			if w := american.FindString(text); w != "" {
				t.Errorf("%s: %q in %q", e.ID, w, text)
			}
		}
	}
}
