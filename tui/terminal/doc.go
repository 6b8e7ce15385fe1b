// Package terminal is the screen's far side: it puts a terminal into the state
// a full screen needs, sends it the cells that changed and nothing else, and
// gives it back as it was.
//
// Nothing in it wakes up by itself: what is drawn, and when, is the caller's.
// It must not know what the lines mean. A line holds text and the styles of
// package theme (escape sequences that end in m), nothing else that a terminal
// obeys.
//
// A Terminal belongs to one goroutine.
package terminal
