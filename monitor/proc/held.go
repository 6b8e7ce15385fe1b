package proc

import "errors"

// maxHeld bounds the files held open; processes beyond it are opened anew in
// every sample.
const maxHeld = 256

var errOther = errors.New("the state of another process, or of one that ended")

// state reads the state of a process: through the file that is held of it or,
// where there is none or that process has ended, by its number. It returns the
// file to hold from now on, which may be none.
func (s *Source) state(pid int, old *entry) (stat, procFile, error) {
	if old != nil && old.file.open() {
		if now, err := s.stateIn(old.file, pid, old.stat.name); err == nil {
			return now, old.file, nil
		}
		s.release(old)
	}
	f, err := openFile(s.reader.path(pid, "stat"))
	if err != nil {
		return stat{}, procFile{}, err
	}
	now, err := s.stateIn(f, pid, "")
	if err != nil || !s.tied || s.held >= maxHeld {
		f.close()
		return now, procFile{}, err
	}
	s.held++
	return now, f, nil
}

func (s *Source) stateIn(f procFile, pid int, name string) (stat, error) {
	n, err := f.read(s.buf)
	if err != nil {
		return stat{}, err
	}
	now, err := parseStat(s.buf[:n], name)
	if err == nil && (now.pid != pid || now.state == 'X') {
		err = errOther
	}
	return now, err
}

// release closes the file that is held of a process.
func (s *Source) release(e *entry) {
	if e.file.open() {
		e.file.close()
		e.file = procFile{}
		s.held--
	}
}
