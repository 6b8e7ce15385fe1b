package procs

// Filter chooses rows. The zero Filter matches every row.
type Filter struct {
	any [][]term // alternatives, each of which is terms that must all hold
}

// Empty tells whether the filter matches every row because it asks nothing.
func (f Filter) Empty() bool { return len(f.any) == 0 }

// Match tells whether a row is what the filter asks for.
func (f Filter) Match(r *Row) bool {
	if len(f.any) == 0 {
		return true
	}
	for _, terms := range f.any {
		if matchAll(terms, r) {
			return true
		}
	}
	return false
}

func matchAll(terms []term, r *Row) bool {
	for i := range terms {
		if terms[i].test(r) == terms[i].not {
			return false
		}
	}
	return true
}

// term is one condition.
type term struct {
	not  bool
	test func(*Row) bool
}
