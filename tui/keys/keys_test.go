package keys

import "testing"

func places() []Place {
	return []Place{OnOverview, OnGPU, OnProcess, OnAdvice, OnLog, OnSources, OnSettings, OnHelp}
}

func TestNoKeyDoesTwoThingsOnOneScreen(t *testing.T) {
	for _, mode := range []Mode{Live, Replay} {
		for _, place := range places() {
			seen := map[string]Action{}
			for _, b := range Default().For(mode).On(place) {
				for _, k := range b.Keys {
					if other, twice := seen[k]; twice && other != b.Action {
						t.Errorf("on screen %d %q asks for %d and for %d", place, k, other, b.Action)
					}
					seen[k] = b.Action
				}
			}
		}
	}
}

func TestEveryActionHasAKeyAndEveryBindingAHelp(t *testing.T) {
	have := map[Action]bool{}
	for _, b := range Default() {
		have[b.Action] = true
		if b.Help == "" || b.Label == "" || b.Group == "" || len(b.Keys) == 0 || b.Mode == 0 {
			t.Errorf("%+v is not whole", b)
		}
	}
	for a := None + 1; a <= SaveSettings; a++ {
		if !have[a] {
			t.Errorf("action %d has no key", a)
		}
	}
}

func TestKeysWorkOnlyWhereTheyHaveAMeaning(t *testing.T) {
	m := Default()
	if a := m.Action("[", Live, OnGPU); a != None {
		t.Errorf("[ asks for %d live", a)
	}
	if a := m.Action("[", Replay, OnGPU); a != PlaySlower {
		t.Errorf("[ asks for %d in a replay", a)
	}
	if a := m.Action("+", Replay, OnOverview); a != None {
		t.Errorf("+ asks for %d in a replay", a)
	}
	if a := m.Action("c", Live, OnGPU); a != Cursor {
		t.Errorf("c asks for %d on the chart", a)
	}
	if a := m.Action("c", Live, OnOverview); a != Columns {
		t.Errorf("c asks for %d on the overview", a)
	}
}
