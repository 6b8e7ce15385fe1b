package formats

import "unsafe"

// view returns b as a string without a copy. It is for what is looked at while b
// is not written to: the clean text of a line, which nothing keeps.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
