// Package engine drives the container engine that kind clusters run in, Docker
// or Podman, through its command line client.
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

// EnvName is the environment variable that forces one engine, "docker" or
// "podman".
const EnvName = "DRACONFORM_ENGINE"

const (
	docker = "docker"
	podman = "podman"
)

// answerTimeout bounds how long an engine may take to tell its version. One
// that works takes well under a second; one that is starting, or a client that
// dials a host which is gone, would otherwise hold everything up.
const answerTimeout = 10 * time.Second

// ErrNone says that no container engine answers. The error that wraps it tells
// what was tried, and how each answered.
var ErrNone = errors.New("no container engine answers")

// Engine is a container engine that has answered once.
type Engine struct {
	name    string
	version string
}

// Name returns "docker" or "podman", which is also the name of the client
// program.
func (e *Engine) Name() string { return e.name }

// Version returns the version that the engine, not its client, had when it was
// found.
func (e *Engine) Version() string { return e.version }

// Find returns the first engine that answers: Docker, then Podman, or only the
// one which DRACONFORM_ENGINE names.
func Find(ctx context.Context) (*Engine, error) {
	names, err := candidates(os.Getenv(EnvName))
	if err != nil {
		return nil, err
	}
	var answers []string
	for _, name := range names {
		e := &Engine{name: name}
		if err = e.greet(ctx); err == nil {
			return e, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("engine: look for a container engine: %w", ctx.Err())
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

// greet asks the engine for its version. Its errors are parts of ErrNone's
// sentence.
func (e *Engine) greet(ctx context.Context) error {
	if _, err := exec.LookPath(e.name); err != nil {
		return fmt.Errorf("%s is not installed", e.name)
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	// Podman installs itself as "docker" too where asked. It is not Docker: it
	// has to be driven as what it is.
	if e.name == docker {
		out, err := e.Output(ctx, "--version")
		if err != nil {
			return tooLate(ctx, err)
		}
		if !strings.HasPrefix(out, "Docker version") {
			return fmt.Errorf("docker is another program (%s)", firstLine(out))
		}
	}
	args := []string{"version", "--format", "{{.Server.Version}}"}
	if e.name == podman {
		// On Linux there is no server; info is the call that needs a working
		// engine.
		args = []string{"info", "--format", "{{.Version.Version}}"}
	}
	version, err := e.Output(ctx, args...)
	if err != nil {
		return tooLate(ctx, err)
	}
	e.version = version
	return nil
}

// tooLate says in words what "signal: killed" means.
func tooLate(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s: %w", answerTimeout, err)
	}
	return err
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
