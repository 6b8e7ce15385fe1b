//go:build !linux

package torch

import "errors"

func readWhole(string, []byte, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func readOnce(string, []byte) ([]byte, error) { return nil, errors.ErrUnsupported }

func readLink(string) string { return "" }

type statFile struct{}

func openStat(string) (statFile, error) { return statFile{}, errors.ErrUnsupported }

func (statFile) read([]byte) (identity, error) { return identity{}, errors.ErrUnsupported }

func (statFile) close() {}

type dirReader struct{}

func (dirReader) each(string, []byte, func([]byte) bool) error { return errors.ErrUnsupported }
