// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/internal/gocmd"
)

// preparation is the state of one call of this command.
type preparation struct {
	reporter *progress.Reporter
	bin      string // folder of the binaries
}

// compile builds a command of this module. expected is the name of its task in
// the estimate. It may be empty.
func (p preparation) compile(ctx context.Context, expected, what, command string) error {
	task := p.reporter.TaskOf(expected, "compile %s", what)
	compiled := "up to date"
	err := gocmd.Build(ctx, ".", func(done gocmd.Done) {
		compiled = done.String()
		task.Update("%s", done)
	}, []string{"CGO_ENABLED=0"}, "-o", p.bin+string(filepath.Separator), command)
	if err != nil {
		return task.Fail(fmt.Errorf("compile %s: %w", what, err))
	}
	task.Done(compiled)
	return nil
}

// ensureEngine runs the engine command and prints its output line by line.
func (p preparation) ensureEngine(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, filepath.Join(p.bin, "engine"), "ensure")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var problem strings.Builder
	cmd.Stderr = &problem
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("set up the container engine: %w", err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		p.reporter.Printf("%s", lines.Text())
	}
	_, _ = io.Copy(io.Discard, out) // After a line that is too long, the command would block.
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if message := strings.TrimPrefix(strings.TrimSpace(problem.String()), "error: "); message != "" {
			return errors.New(message)
		}
		return fmt.Errorf("set up the container engine: %w", err)
	}
	return nil
}
