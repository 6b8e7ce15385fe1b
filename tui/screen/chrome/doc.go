// Package chrome is what stands around every screen: the top line with the
// machine and the moment, the line of keys, the sentence of the most important
// finding; and the words for figures that all screens share.
//
// It must not know what any one screen shows.
package chrome
