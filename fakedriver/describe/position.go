// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"errors"
	"fmt"
)

// errorAt is an error in a line of the description.
type errorAt struct {
	line int
	err  error
}

func (e *errorAt) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }

func (e *errorAt) Unwrap() error { return e.err }

// at returns an error for a line.
func at(line int, format string, args ...any) error {
	return &errorAt{line, fmt.Errorf(format, args...)}
}

// within adds the subject of an error and its line. The line of the inner error
// takes precedence if it has one.
func within(line int, err error, format string, args ...any) error {
	if inner, ok := errors.AsType[*errorAt](err); ok {
		line, err = inner.line, inner.err
	}
	return &errorAt{line, about(err, format, args...)}
}

// about adds the subject of an error. It returns nil for nil.
func about(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), err)
}
