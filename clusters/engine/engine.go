// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package engine controls the container engine that kind clusters run in,
// Docker or Podman, through its command line client.
package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// EnvName is the environment variable that selects the engine, "docker" or
// "podman".
const EnvName = "DRACONFORM_ENGINE"

const (
	docker = "docker"
	podman = "podman"
)

// answerTimeout bounds the wait for an engine's version. A working engine takes
// well under a second. An engine that is starting, or a client that connects to
// an unreachable host, could block much longer.
const answerTimeout = 10 * time.Second

// ErrNone is returned if no container engine responds. The error that wraps it
// lists the engines that were tried and their errors.
var ErrNone = errors.New("no container engine answers")

// Engine is a container engine that has responded.
type Engine struct {
	name    string
	version string
}

// Name returns "docker" or "podman", the name of the client program.
func (e *Engine) Name() string { return e.name }

// Version returns the version of the engine, which may differ from that of its
// client, at the time of Find.
func (e *Engine) Version() string { return e.version }

// Find returns the first engine that responds. It tries Docker, then Podman. If
// DRACONFORM_ENGINE is set, it tries only that engine.
func Find(ctx context.Context) (*Engine, error) {
	names, err := candidates(os.Getenv(EnvName))
	if err != nil {
		return nil, err
	}
	var answers []string
	for _, name := range names {
		e := &Engine{name: name}
		if err = e.probe(ctx); err == nil {
			return e, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("engine: find a container engine: %w", ctx.Err())
		}
		answers = append(answers, strings.TrimPrefix(err.Error(), prefix))
	}
	return nil, fmt.Errorf("%w: %s", ErrNone, strings.Join(answers, "; "))
}

func candidates(forced string) ([]string, error) {
	switch forced {
	case "":
		return []string{docker, podman}, nil
	case docker, podman:
		return []string{forced}, nil
	}
	return nil, fmt.Errorf("engine: %s=%q: want %s or %s", EnvName, forced, docker, podman)
}

// probe requests the version of the engine. Its errors become parts of the
// message of ErrNone.
func (e *Engine) probe(ctx context.Context) error {
	if _, err := exec.LookPath(e.name); err != nil {
		return fmt.Errorf("%s is not installed", e.name)
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	// Podman can install itself as "docker", too. It must be controlled as
	// podman.
	if e.name == docker {
		out, err := e.Output(ctx, "--version")
		if err != nil {
			return withTimeout(ctx, err)
		}
		if !strings.HasPrefix(out, "Docker version") {
			return fmt.Errorf("docker is another program (%s)", firstLine(out))
		}
	}
	args := []string{"version", "--format", "{{.Server.Version}}"}
	if e.name == podman {
		// On Linux Podman has no server. The info command requires a working
		// engine.
		args = []string{"info", "--format", "{{.Version.Version}}"}
	}
	version, err := e.Output(ctx, args...)
	if err != nil {
		return withTimeout(ctx, err)
	}
	e.version = version
	return nil
}

// withTimeout adds the timeout to an error such as "signal: killed".
func withTimeout(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s: %w", answerTimeout, err)
	}
	return err
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
