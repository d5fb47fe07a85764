package engine

import (
	"bytes"
	"context"
	"io"
	"strings"
)

// Exec runs a command in a container, with what it is to read unless that is
// nil, and returns what it prints, without the line end. Its error is like that
// of Output. The command goes on if the context ends.
func (e *Engine) Exec(ctx context.Context, container string, stdin io.Reader, command ...string) (string, error) {
	args := []string{"exec"}
	if stdin != nil {
		args = append(args, "--interactive")
	}
	var out bytes.Buffer
	err := e.run(ctx, stdin, &out, append(append(args, container), command...)...)
	return strings.TrimRight(out.String(), "\r\n"), err
}
