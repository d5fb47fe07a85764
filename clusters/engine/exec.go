// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"context"
	"errors"
	"strings"
)

// Exec runs a command in a container and returns its standard output without
// the trailing line end. Its error is like that of Output, but omits the
// command: the command may be a long script. If the context ends, the command
// keeps running in the container.
func (e *Engine) Exec(ctx context.Context, container string, command ...string) (string, error) {
	var out bytes.Buffer
	args := []string{"exec", container}
	err := e.run(ctx, nil, &out, append(args, command...)...)
	if failed, ok := errors.AsType[*commandError](err); ok {
		failed.args = append(args, "...")
	}
	return strings.TrimRight(out.String(), "\r\n"), err
}
