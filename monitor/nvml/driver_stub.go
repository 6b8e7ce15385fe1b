//go:build !linux || !cgo

package nvml

// newDriver returns a driver that says it was built without the interface.
func newDriver() driver { return noDriver{} }

type noDriver struct{}

func (noDriver) open() (opened, error)        { return opened{}, ErrNotBuilt }
func (noDriver) device(int) (device, error)   { return nil, ErrNotBuilt }
func (noDriver) events(int) (eventSet, error) { return nil, ErrNotBuilt }
func (noDriver) close() error                 { return nil }
