package scrub

import "strings"

// secretOption is an option of one letter, or of a name that is no secret's
// elsewhere, that takes a secret in one program.
type secretOption struct {
	word  string
	next  bool   // the secret is the next word
	glued bool   // the secret is glued to it: -pSECRET
	sign  string // only when the value has this sign: user:password
}

var (
	passwordP = []secretOption{{word: "-p", next: true}}
	mysqlP    = []secretOption{{word: "-p", next: true, glued: true}}
	archiveP  = []secretOption{{word: "-p", glued: true}}
	largeP    = []secretOption{{word: "-P", next: true}}
	ldapW     = []secretOption{{word: "-w", next: true}}
)

// secretOptions are those of the programs whose meaning is sure. " login"
// stands behind a program where only that command of it takes a password:
// docker login -p is not docker run -p.
var secretOptions = map[string][]secretOption{
	"mysql": mysqlP, "mysqldump": mysqlP, "mysqladmin": mysqlP, "mysqlimport": mysqlP, "mysqlsh": mysqlP, "mysqlcheck": mysqlP,
	"mariadb": mysqlP, "mariadb-dump": mysqlP, "mariadb-admin": mysqlP, "sshpass": mysqlP,
	"mongo": passwordP, "mongosh": passwordP, "mongodump": passwordP, "mongorestore": passwordP, "mongoexport": passwordP, "mongoimport": passwordP,
	"twine": passwordP, "cqlsh": passwordP, "redis-cli": {{word: "-a", next: true}},
	"docker login": passwordP, "podman login": passwordP, "nerdctl login": passwordP, "buildah login": passwordP, "skopeo login": passwordP,
	"helm login": passwordP, "oras login": passwordP, "crane login": passwordP, "az login": passwordP,
	"7z": archiveP, "7za": archiveP, "7zz": archiveP, "7zr": archiveP, "rar": archiveP, "unrar": archiveP,
	"zip": largeP, "unzip": largeP, "sqlcmd": largeP, "bcp": largeP,
	"ldapsearch": ldapW, "ldapadd": ldapW, "ldapmodify": ldapW, "ldapdelete": ldapW, "ldapwhoami": ldapW,
	"curl":      {{word: "-u", next: true, sign: ":"}, {word: "--user", next: true, sign: ":"}, {word: "-U", next: true, sign: ":"}, {word: "--proxy-user", next: true, sign: ":"}},
	"smbclient": {{word: "-U", next: true, sign: "%"}},
	"openssl": {{word: "-passin", next: true}, {word: "-passout", next: true}, {word: "-pass", next: true},
		{word: "-k", next: true}, {word: "-K", next: true}},
}

// running follows which program the words of a command line belong to, also
// behind sudo, env or sh -c.
type running struct{ program string }

// see takes the next word.
func (r *running) see(word string) {
	name := baseName(strings.Trim(word, `"'`))
	switch {
	case name == ";" || name == "|" || name == "&&" || name == "||" || strings.HasSuffix(name, ";"):
		r.program = ""
	case secretOptions[name] != nil || secretOptions[name+" login"] != nil:
		r.program = name
	case name == "login" && secretOptions[r.program+" login"] != nil:
		r.program += " login"
	}
}

// takesNext tells whether the word after this one is a secret.
func (r *running) takesNext(word, next string) bool {
	for _, o := range secretOptions[r.program] {
		if o.next && word == o.word && next != "" && next != Mask && !isOption(next) && strings.Contains(next, o.sign) {
			return true
		}
	}
	return false
}

// holdsSecret returns how much of a word stands before a secret that is glued
// to it; 0 for none.
func (r *running) holdsSecret(word string) int {
	for _, o := range secretOptions[r.program] {
		if o.glued && len(word) > len(o.word) && strings.HasPrefix(word, o.word) {
			return len(o.word)
		}
	}
	return 0
}

// maskPrograms masks the secrets of known programs in a line of text, as a
// shell's command that is printed or given to sh -c.
func maskPrograms(line string) string {
	if !strings.Contains(line, " -") {
		return line
	}
	var r running
	var b strings.Builder
	done, secret := 0, false
	for at := 0; at < len(line); {
		from := at + spaces(line[at:])
		to := from
		for to < len(line) && line[to] != ' ' && line[to] != '\t' {
			to++
		}
		word := line[from:to]
		if word == "" {
			break
		}
		start, end := inQuotes(line, from, to)
		switch n := r.holdsSecret(word); {
		case secret:
			b.WriteString(line[done:start])
			b.WriteString(Mask)
			done, secret, to = end, false, max(end, to)
		case n > 0 && word[n:] != Mask:
			b.WriteString(line[done : from+n])
			b.WriteString(Mask)
			done = to
		default:
			r.see(word)
			next := line[to:]
			next = next[spaces(next):]
			if i := strings.IndexAny(next, " \t"); i >= 0 {
				next = next[:i]
			}
			secret = r.takesNext(word, strings.Trim(next, `"'`))
		}
		at = to
	}
	if done == 0 {
		return line
	}
	return b.String() + line[done:]
}

func spaces(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

// inQuotes returns where a word's text lies: without its quotes, and as far as
// they reach.
func inQuotes(line string, from, to int) (start, end int) {
	if quote := line[from]; (quote == '"' || quote == '\'') && from+1 < len(line) {
		if n := strings.IndexByte(line[from+1:], quote); n >= 0 {
			return from + 1, from + 1 + n
		}
		return from + 1, max(from+1, to)
	}
	if to > from+1 && strings.IndexByte(`"'`, line[to-1]) >= 0 {
		to-- // the end of what sh -c was given
	}
	return from, to
}
