package nvml

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTextBytes bounds a text from the driver: NVML's longest is 96 bytes
// (NVML_DEVICE_NAME_V2_BUFFER_SIZE).
const maxTextBytes = 96

// cleanText makes a text from outside fit to be a name: valid UTF-8 without
// control or invisible formatting characters, of bounded length.
func cleanText(raw string) string {
	if len(raw) > maxTextBytes {
		raw = raw[:maxTextBytes]
	}
	if plainASCII(raw) {
		return strings.TrimSpace(raw)
	}
	var b strings.Builder
	for _, r := range raw {
		if r == utf8.RuneError || unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			continue
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// cleanLine makes a sentence from outside fit to stand in a reason: one line of
// plain text, of bounded length.
func cleanLine(raw string) string {
	const most = 300
	if len(raw) > most {
		raw = raw[:most]
	}
	var b strings.Builder
	for _, r := range raw {
		if r != utf8.RuneError && unicode.IsPrint(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}
