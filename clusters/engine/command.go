// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// prefix is the start of every error of a call.
const prefix = "engine: "

// stderrLines is the number of lines of the client's standard error in an
// error. The reason is at the end of the output.
const stderrLines = 3

// waitDelay is the time that a terminated client may keep its pipes open.
const waitDelay = 2 * time.Second

// commandError is the error of a failed call of the client.
type commandError struct {
	client string
	args   []string
	stderr string
	err    error
}

func (e *commandError) Error() string {
	text := fmt.Sprintf("%s%s %s: %v", prefix, e.client, strings.Join(e.args, " "), e.err)
	if lines := errorLines(e.stderr); len(lines) > 0 {
		text += ": " + strings.Join(lines[max(0, len(lines)-stderrLines):], "; ")
	}
	return text
}

func (e *commandError) Unwrap() error { return e.err }

// absentRE matches the errors of Docker and Podman for objects that do not
// exist.
var absentRE = regexp.MustCompile(`(?i)no such (image|container|object)|image not known`)

// isAbsent reports whether a call failed only because the objects that it names
// do not exist.
func isAbsent(err error) bool {
	var failed *commandError
	if !errors.As(err, &failed) {
		return false
	}
	lines := errorLines(failed.stderr)
	for _, line := range lines {
		if !absentRE.MatchString(line) {
			return false
		}
	}
	return len(lines) > 0
}

// Output runs the engine's client and returns its standard output without the
// trailing line end. The error of a failed call contains the arguments and the
// last lines of the client's standard error.
func (e *Engine) Output(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	err := e.run(ctx, nil, &out, args...)
	return strings.TrimRight(out.String(), "\r\n"), err
}

func (e *Engine) run(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) error {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, e.name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, &stderr
	cmd.WaitDelay = waitDelay
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("%w (%w)", ctx.Err(), err)
	}
	return &commandError{client: e.name, args: args, stderr: stderr.String(), err: err}
}

// errorLines returns the lines of the client's standard error without blank
// lines and without the hint to use --help.
func errorLines(stderr string) []string {
	var lines []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasSuffix(line, "--help' for more information") || strings.HasSuffix(line, "--help'.") {
			continue
		}
		lines = append(lines, line)
	}
	return lines
}
