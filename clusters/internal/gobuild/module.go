// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gobuild

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"

	"golang.org/x/mod/module"
)

// Download downloads a module into the module cache and returns the folder of
// its files.
func Download(ctx context.Context, m module.Version) (dir string, err error) {
	found, err := describe(ctx, m, resolving, "mod", "download", "-json")
	return found.Dir, err
}

// Downloaded returns the folder of a module's files in the module cache. It is empty
// if the module cache does not have them.
func Downloaded(ctx context.Context, m module.Version) (dir string) {
	found, err := describe(ctx, m, append([]string{"GOPROXY=off"}, resolving...), "mod", "download", "-json")
	if err != nil {
		return ""
	}
	return found.Dir
}

// GoMod downloads a module's go.mod file, without its other files, into the
// module cache and returns its path.
func GoMod(ctx context.Context, m module.Version) (path string, err error) {
	found, err := describe(ctx, m, resolving, "list", "-m", "-json")
	return found.GoMod, err
}

// answer is the go command's description of a module.
type answer struct{ Dir, GoMod string }

func describe(ctx context.Context, m module.Version, env []string, command ...string) (answer, error) {
	// In an empty folder the go command does not use a go.mod of the caller.
	dir, err := os.MkdirTemp("", "draconform-download-")
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	out, runErr := output(ctx, dir, env, append(command, m.String())...)
	var found struct {
		answer
		Error any // a string or an object, depending on the command
	}
	if err := json.Unmarshal(out, &found); err == nil && found.Error != nil {
		return answer{}, fmt.Errorf("download module %s: %v", m, found.Error)
	}
	if runErr != nil {
		return answer{}, fmt.Errorf("download module %s: %w", m, runErr)
	}
	return found.answer, nil
}

// resolving is the environment in which the go command may complete a module's
// requirements.
var resolving = []string{"GOWORK=off", "GOFLAGS=-mod=mod"}

// output runs the go command in dir and returns its standard output. The error
// contains its standard error, or is the cause of the context's end. The output
// is also returned with an error, because it may describe the failure.
func output(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	// On an interrupt, the go command stops its compilers. If it is killed, they keep
	// running.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.Output()
	switch {
	case err != nil && ctx.Err() != nil:
		err = context.Cause(ctx)
	case err != nil:
		err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, err
}
