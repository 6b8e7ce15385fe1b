//go:build linux || darwin

package job

import "os"

// pipes are those between a monitor and its keeper.
type pipes struct {
	control, events, data *os.File // the monitor's ends
	far                   []*os.File
}

func newPipes() (*pipes, error) {
	p := &pipes{}
	var all []*os.File
	for range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			for _, f := range all {
				_ = f.Close()
			}
			return nil, err
		}
		all = append(all, r, w)
	}
	p.control, p.events, p.data = all[1], all[2], all[4]
	p.far = []*os.File{all[0], all[3], all[5]}
	return p, nil
}

// theirs returns the keeper's ends in the order of its descriptors.
func (p *pipes) theirs() []*os.File { return p.far[:len(p.far):len(p.far)] }

func (p *pipes) closeTheirs() {
	for _, f := range p.far {
		_ = f.Close()
	}
}
