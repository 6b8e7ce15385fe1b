package proc

import (
	"strconv"
	"strings"
	"time"
)

// users turns numbers of users into names. The passwd file is read here, with
// no library in between; a look-up that may hang (LDAP, NFS) runs beside the
// sampling, one at a time, and until it answers the number is shown.
type users struct {
	passwd string
	lookup func(uid string) (string, error) // nil: the file alone
	names  map[uint32]string
	asked  map[uint32]bool
	answer chan answer // nil: nobody is asked
	loaded time.Time
}

type answer struct {
	uid  uint32
	name string
}

// passwdAge is how long the passwd file is believed when a number is not in it.
const passwdAge = time.Minute

const passwdBytes = 8 << 20

// name returns the name of a user, or the number when there is none yet.
func (u *users) name(uid uint32, now time.Time) string {
	u.collect()
	if name, ok := u.names[uid]; ok {
		return name
	}
	if u.loaded.IsZero() || now.Sub(u.loaded) > passwdAge {
		u.load(now)
		if name, ok := u.names[uid]; ok {
			return name
		}
	}
	number := strconv.FormatUint(uint64(uid), 10)
	if u.lookup != nil && u.answer == nil && !u.asked[uid] {
		u.asked[uid] = true
		u.answer = make(chan answer, 1)
		go func(out chan<- answer) {
			name, err := u.lookup(number)
			if err != nil {
				name = ""
			}
			out <- answer{uid, name}
		}(u.answer)
	}
	return number
}

func (u *users) collect() {
	select {
	case a := <-u.answer:
		u.answer = nil
		if a.name != "" {
			u.names[a.uid] = a.name
		}
	default:
	}
}

func (u *users) load(now time.Time) {
	u.loaded = now
	if raw, err := readSmall(u.passwd, passwdBytes); err == nil {
		parsePasswd(string(raw), u.names)
	}
}

// parsePasswd reads passwd(5) into names. The first entry of a number counts,
// as in getpwuid(3).
func parsePasswd(text string, names map[uint32]string) {
	inFile := map[uint32]bool{}
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 4)
		if len(fields) < 4 || fields[0] == "" || strings.HasPrefix(fields[0], "#") {
			continue
		}
		uid, err := strconv.ParseUint(fields[2], 10, 32)
		if err != nil || inFile[uint32(uid)] {
			continue
		}
		inFile[uint32(uid)] = true
		names[uint32(uid)] = fields[0]
	}
}
