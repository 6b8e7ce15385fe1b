package keys

import "testing"

func TestNoKeyDoesTwoThingsInOneMode(t *testing.T) {
	for _, mode := range []Mode{Live, Replay} {
		seen := map[string]Action{}
		for _, b := range Default().For(mode) {
			for _, k := range b.Keys {
				if other, twice := seen[k]; twice {
					t.Errorf("%q asks for %d and for %d", k, other, b.Action)
				}
				seen[k] = b.Action
			}
		}
	}
}

func TestEveryActionHasAKeyAndEveryBindingAHelp(t *testing.T) {
	have := map[Action]bool{}
	for _, b := range Default() {
		have[b.Action] = true
		if b.Help == "" || b.Label == "" || len(b.Keys) == 0 || b.Mode == 0 {
			t.Errorf("%+v is not whole", b)
		}
	}
	for a := None + 1; a <= ToEnd; a++ {
		if !have[a] {
			t.Errorf("action %d has no key", a)
		}
	}
}

func TestKeysOfAReplayDoNothingLive(t *testing.T) {
	m := Default()
	if a := m.Action("left", Live); a != None {
		t.Errorf("left asks for %d", a)
	}
	if a := m.Action("left", Replay); a != StepBack {
		t.Errorf("left asks for %d in a replay", a)
	}
	if a := m.Action("+", Replay); a != None {
		t.Errorf("+ asks for %d in a replay", a)
	}
}
