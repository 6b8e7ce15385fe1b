// Package record reads and writes recordings (format 1, JSON Lines, plain or
// gzip), plays them back as a monitor.Feed, and writes one sample as the JSON
// object of `vramscope once --json`; both use the same rows.
//
// A recording comes from somebody else: it is read with limits, and refused
// with its name, the line and what is wrong there. The package must not know
// what log lines mean (a LineParser is handed in), how secrets are recognised
// (Scrub is handed in), or what a screen is.
package record
