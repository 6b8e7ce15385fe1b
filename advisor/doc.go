// Package advisor names the known cause of a job's memory trouble, the figures
// that speak for it and what to change.
//
// It is pure: no clock, no files, no environment. Everything it judges comes in
// with an Input and time is what the window says it is, so the same input gives
// the same findings for ever. It must not know where samples come from or what
// a screen looks like; the words that people read stand in advisor/catalog.
//
// The files rule_*.go hold the rules, a family each, and rules.go puts what they
// find in order. Scene, gather, things, track and the like read the window for
// them; finding, text, json and tracker are what comes out.
//
// A rule states what it needs. What is missing makes it silent or less sure,
// never wrong. Windows count samples or steps and thresholds are fractions of
// the card, so that twelve seconds on a large card and a day on a small one are
// judged alike. The one exception is the size of a CUDA context and its
// libraries, which does not shrink with the card.
package advisor
