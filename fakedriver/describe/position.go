package describe

import (
	"errors"
	"fmt"
)

// position is embedded in a struct to find out where it stands.
type position struct{ line int }

func (p *position) setLine(line int) { p.line = line }

// errorAt is an error in a line of the description.
type errorAt struct {
	line int
	err  error
}

func (e *errorAt) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }

func (e *errorAt) Unwrap() error { return e.err }

// at returns an error that names a line.
func at(line int, format string, args ...any) error {
	return &errorAt{line, fmt.Errorf(format, args...)}
}

// within says what an error is about that is found at a line or, if the error
// knows better, at a line further down.
func within(line int, err error, format string, args ...any) error {
	if inner, ok := errors.AsType[*errorAt](err); ok {
		line, err = inner.line, inner.err
	}
	return &errorAt{line, about(err, format, args...)}
}

// about says what an error is about. Nil stays nil.
func about(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
