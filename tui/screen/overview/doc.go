// Package overview is the first screen: a card a GPU with the three layers of
// its memory, and the processes below. The cards shrink in steps as the
// terminal gets smaller or the GPUs more.
//
// It computes nothing about memory beyond what package monitor offers, and it
// must not know how samples are taken. Everything from outside passes the
// sanitiser before it is drawn.
package overview
