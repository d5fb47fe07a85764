// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/engine/caps"
	"github.com/draconform/draconform/clusters/progress"
)

// setup is the state of one call of this command.
type setup struct {
	*progress.Reporter
	files  files
	docker docker
	proc   procfs
}

func (s setup) ensure(ctx context.Context) error {
	err := s.status(ctx)
	if !errors.Is(err, engine.ErrNone) {
		return err
	}
	if err := mayStart(err); err != nil {
		return err
	}
	release, err := s.files.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	// Another process may have started an engine before it released the lock.
	if err := s.status(ctx); !errors.Is(err, engine.ErrNone) {
		return err
	}
	if err := s.installAndStart(ctx); err != nil {
		return err
	}
	return s.status(ctx)
}

// installAndStart installs and starts Docker. It requires root on Debian or
// Ubuntu.
func (s setup) installAndStart(ctx context.Context) error {
	withheld, err := caps.Withheld()
	if err != nil {
		return err
	}
	if err := s.install(ctx, withheld); err != nil {
		return err
	}
	if systemdRuns() && withheld == 0 {
		return s.startService(ctx)
	}
	if err := s.clearStale(ctx); err != nil {
		return err
	}
	var flags []string
	if withheld != 0 {
		if flags, err = s.wrapRuntime(ctx, withheld); err != nil {
			return err
		}
	}
	return s.startDaemon(ctx, flags)
}

// facts determine whether this command may start an engine.
type facts struct {
	uid        int
	forced     string // DRACONFORM_ENGINE
	dockerHost string // DOCKER_HOST
	distro     distribution
}

// mayStart returns nil if this command may install and start Docker. Otherwise
// the error states what the user can do. none is the error of looking for an
// engine.
func mayStart(none error) error {
	distro, err := readDistribution()
	if err != nil {
		return err
	}
	return facts{
		uid:        os.Getuid(),
		forced:     os.Getenv(engine.EnvName),
		dockerHost: os.Getenv("DOCKER_HOST"),
		distro:     distro,
	}.check(none)
}

// localSockets are the values of DOCKER_HOST that refer to the Docker that this
// command starts.
var localSockets = []string{"unix:///var/run/docker.sock", "unix:///run/docker.sock"}

func (f facts) check(none error) error {
	switch {
	case f.forced == "podman":
		return fmt.Errorf("install Podman, or unset %s to use Docker: %w", engine.EnvName, none)
	case f.uid != 0 && strings.Contains(none.Error(), "permission denied"):
		return fmt.Errorf("join the group that may use Docker (sudo usermod -aG docker $USER) and log in again, "+
			"or run this as root: %w", none)
	case f.uid != 0:
		return fmt.Errorf("start Docker or Podman, for example with \"sudo systemctl start docker\", "+
			"or run this as root, which installs and starts Docker: %w", none)
	case f.dockerHost != "" && !slices.Contains(localSockets, f.dockerHost):
		return fmt.Errorf("start the engine at DOCKER_HOST=%s, or unset DOCKER_HOST to start one here: %w",
			f.dockerHost, none)
	case !f.distro.debianLike():
		return fmt.Errorf("install and start Docker or Podman, which this command does only on Debian and Ubuntu, "+
			"not on %s: %w", f.distro.name, none)
	}
	return nil
}
