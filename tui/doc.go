// Package tui is the live screen. Its Model is the only Bubble Tea model of the
// program: it takes batches of samples from a feed, keeps history, and lets one
// screen draw. Screens, widgets, themes and keys are packages below this one
// and know nothing of each other beyond package screen.
//
// It must not know how samples are taken, and it reads no device, no /proc and
// no clock but the one it is given. Pausing stops the screen, never the
// sampling. Nothing but the user, the context or a lost terminal ends it.
package tui
