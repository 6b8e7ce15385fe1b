// Package scrub takes secrets out of text that will be shown, recorded or
// handed to a colleague: passwords, tokens and keys in command lines and in
// log lines become "***".
//
// It works on words alone: it must not know where a text comes from or goes
// to, and it imports the standard library alone. It errs towards hiding where
// a name says "secret", and towards leaving where only a name like "token"
// does, because in this field a token is mostly a piece of a sentence.
package scrub

import (
	"strings"
)

// Mask stands where a secret was.
const Mask = "***"

// maxPasses bounds how often a text is gone through until nothing changes;
// one pass can lay bare another match when quotes or brackets are unbalanced.
const maxPasses = 8

// Command joins the words of a command line with spaces and replaces secrets
// by "***". The words decide: the value of --password is masked whole, spaces
// included. The result is at most three times as long as the joined words.
func Command(args []string) string {
	words := make([]string, 0, len(args))
	var r running
	for i := 0; i < len(args); i++ {
		word := args[i]
		next, hasNext := "", i+1 < len(args)
		if hasNext {
			next = args[i+1]
		}
		switch n := r.holdsSecret(word); {
		case hasNext && (r.takesNext(word, next) || takesSecret(word, next)):
			words = append(words, word, Mask)
			i++
		case n > 0:
			words = append(words, word[:n]+Mask)
		default:
			r.see(word)
			words = append(words, assignment(word))
		}
	}
	return Text(strings.Join(words, " "))
}

// Text replaces the secrets of one line by "***" and leaves the rest as it
// is. It is idempotent, never fails, and returns at most three times the
// length of the line.
func Text(line string) string {
	for range maxPasses {
		next := pass(line)
		if next == line {
			return line
		}
		line = next
	}
	return line
}

func pass(line string) string {
	if strings.Contains(line, "-----BEGIN") {
		line = privateKey.ReplaceAllString(line, Mask)
	}
	line = keyBody.ReplaceAllStringFunc(line, maskKeyBody)
	if strings.Contains(line, "://") {
		line = userInfo.ReplaceAllStringFunc(line, maskUserInfo)
	}
	if hasKnownMark(line) {
		line = known.ReplaceAllString(line, "${1}"+Mask)
	}
	if strings.Contains(line, "earer") || strings.Contains(line, "EARER") {
		line = bearer.ReplaceAllStringFunc(line, maskBearer)
	}
	if strings.Contains(line, "login") {
		line = netrc.ReplaceAllString(line, "${1}"+Mask)
		line = wandbLogin.ReplaceAllString(line, "${1}"+Mask)
	}
	line = maskNamed(line, findNamed(line), false)
	if !strings.Contains(line, "-") {
		return line
	}
	line = maskPrograms(line)
	return maskNamed(line, findOptions(line), true)
}

// assignment masks a word of the form NAME=VALUE or --name=VALUE whole, since
// in a single word the value may hold spaces and quotes.
func assignment(word string) string {
	name, value, ok := strings.Cut(word, "=")
	bare := strings.TrimLeft(name, "-+")
	by := byAssignment
	if len(bare) < len(name) {
		by = byOption
	}
	if !ok || !plainName.MatchString(bare) || !isSecret(bare, unquote(value), by) {
		return word
	}
	return name + "=" + Mask
}

// takesSecret tells whether word is an option whose value is the next word.
func takesSecret(word, next string) bool {
	if !strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
		return false
	}
	name := strings.TrimLeft(word, "-")
	return plainName.MatchString(name) && !isOption(next) && isSecret(name, next, byOption)
}

// isOption tells an option from a value. A secret may begin with one dash
// (base64 for URLs has it), an option of one dash is short.
func isOption(word string) bool {
	return strings.HasPrefix(word, "--") || strings.HasPrefix(word, "-") && len(word) < 9
}

func baseName(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func unquote(value string) string { return strings.Trim(value, `"'`) }
