// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// EndedError states that a program has ended, although nothing has ended it.
type EndedError struct {
	// Name is the name of the component or program.
	Name string
	// Result is how it has ended, such as "exit status 2" or "signal: killed".
	Result string
	// Log is the path of its log. LastLines are the last lines, or what a program wrote
	// of the panic that ended it.
	Log, LastLines string
}

func (e *EndedError) Error() string {
	return fmt.Sprintf("%s has ended: %s; from its log %s:\n%s", e.Name, e.Result, e.Log, e.LastLines)
}

// OfScheduler reports whether the program was the scheduler, whatever its name is.
func (e *EndedError) OfScheduler() bool { return e.Name == kubeScheduler }

// ended returns an error if the program has ended.
func (p *process) ended() *EndedError {
	select {
	case <-p.done:
	default:
		return nil
	}
	result := "without an error"
	if p.err != nil {
		result = p.err.Error()
	}
	return &EndedError{Name: p.name, Result: result, Log: p.log, LastLines: tail(p.log)}
}

// endedByItself returns an error if the program has ended and nothing has ended it.
func (p *process) endedByItself() *EndedError {
	if p.stopped.Load() {
		return nil
	}
	return p.ended()
}

// portTaken reports whether a program has ended because another program had taken
// its port in the meantime.
func portTaken(err error) bool {
	ended, ok := errors.AsType[*EndedError](err)
	return ok && strings.Contains(ended.LastLines, "address already in use")
}

// Limits of [tail]. A panic is followed by the stack of a goroutine, and some errors of
// the runtime by those of all goroutines, of which the first one matters.
const (
	tailLines  = 15
	panicLines = 20
	lineBytes  = 400
	tailBytes  = 1 << 20
)

// tail returns the last lines of a file, or those that a panic of a Go program begins
// with. If the file cannot be read, it returns the error.
func tail(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err == nil && info.Size() > tailBytes {
		_, _ = f.Seek(-tailBytes, io.SeekEnd)
	}
	content, err := io.ReadAll(f)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	begin, end := max(0, len(lines)-tailLines), len(lines)
	for i, line := range lines {
		if beginsPanic(line) {
			begin, end = i, min(i+panicLines, len(lines))
		}
	}
	lines = lines[begin:end]
	for i, line := range lines {
		if len(line) > lineBytes {
			lines[i] = strings.ToValidUTF8(line[:lineBytes], "") + "..."
		}
	}
	return strings.Join(lines, "\n")
}

// beginsPanic reports whether a line is the first that the Go runtime writes when it ends
// a program.
func beginsPanic(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}
