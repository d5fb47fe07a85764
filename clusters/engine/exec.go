package engine

import (
	"bytes"
	"context"
	"errors"
	"strings"
)

// Exec runs a command in a container and returns what it prints, without the
// line end. Its error is like that of Output, but does not repeat the command,
// which may be a script that would hide why it failed. The command goes on if
// the context ends.
func (e *Engine) Exec(ctx context.Context, container string, command ...string) (string, error) {
	var out bytes.Buffer
	args := []string{"exec", container}
	err := e.run(ctx, nil, &out, append(args, command...)...)
	if failed, ok := errors.AsType[*commandError](err); ok {
		failed.args = append(args, "...")
	}
	return strings.TrimRight(out.String(), "\r\n"), err
}
