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

// prefix begins every error of a call.
const prefix = "engine: "

// stderrLines is how much of what the client said goes into an error: the
// reason stands at the end.
const stderrLines = 3

// waitDelay is how long a client that was told to end may keep its pipes open.
const waitDelay = 2 * time.Second

// commandError is a call of the client that failed.
type commandError struct {
	client string
	args   []string
	stderr string
	err    error
}

func (e *commandError) Error() string {
	text := fmt.Sprintf("%s%s %s: %v", prefix, e.client, strings.Join(e.args, " "), e.err)
	if lines := complaints(e.stderr); len(lines) > 0 {
		text += ": " + strings.Join(lines[max(0, len(lines)-stderrLines):], "; ")
	}
	return text
}

func (e *commandError) Unwrap() error { return e.err }

// absence is how Docker and Podman say that they do not have what a call names.
var absence = regexp.MustCompile(`(?i)no such (image|container|object)|image not known`)

// isAbsent reports whether a call failed only because the engine does not have
// what it names.
func isAbsent(err error) bool {
	var failed *commandError
	if !errors.As(err, &failed) {
		return false
	}
	lines := complaints(failed.stderr)
	for _, line := range lines {
		if !absence.MatchString(line) {
			return false
		}
	}
	return len(lines) > 0
}

// Output runs the engine's client and returns what it prints, without the line
// end. The error of a failed call tells the arguments and the last lines the
// client wrote to its standard error.
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

// complaints returns what the client said, without blank lines and without its
// hint where to read about the command.
func complaints(stderr string) []string {
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
