// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/draconform/draconform/clusters/apt"
	"github.com/draconform/draconform/clusters/engine/caps"
)

// installTimeout bounds apt-get, including the wait for the lock of another
// apt-get.
const installTimeout = 10 * time.Minute

// install installs the missing packages that Docker needs.
func (s setup) install(ctx context.Context, withheld caps.Set) error {
	packages := missingPackages(installed)
	if len(packages) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	task := s.Task("no container engine answers: install %s", strings.Join(packages, " "))
	if err := apt.Install(ctx, s.logged, packages); err != nil {
		return task.Fail(err)
	}
	// In Debian 13 and later, the client is in a separate package.
	if !installed("docker") {
		if err := apt.Install(ctx, s.logged, []string{"docker-cli"}); err != nil {
			return task.Fail(err)
		}
	}
	// The package has started the service with systemd, but without the flags
	// that this host needs.
	if systemdRuns() && withheld != 0 {
		if err := s.logged(ctx, "systemctl", "stop", "docker.socket", "docker.service"); err != nil {
			return task.Fail(err)
		}
	}
	task.Done("")
	return nil
}

// missingPackages returns the Debian and Ubuntu packages of the programs that
// are not installed.
func missingPackages(installed func(program string) bool) []string {
	var out []string
	if !installed("dockerd") {
		out = append(out, "docker.io")
	}
	// On some releases Docker's package only recommends iptables, but Docker's
	// networks require it.
	if !installed("iptables") {
		out = append(out, "iptables")
	}
	return out
}

// logged runs a program and appends its output to apt's log. If the program
// fails, the error contains the end of the log.
func (s setup) logged(ctx context.Context, program string, args ...string) error {
	log, err := os.OpenFile(s.files.apt, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("open the log of apt-get: %w", err)
	}
	defer log.Close()
	line := program + " " + strings.Join(args, " ")
	fmt.Fprintf(log, "\n%s: %s\n", time.Now().Format(time.RFC3339), line)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = apt.Environment()
	cmd.Stdout, cmd.Stderr = log, log
	// Killed, it would leave packages that are half installed.
	cmd.Cancel = func() error { return cmd.Process.Signal(unix.SIGTERM) }
	cmd.WaitDelay = time.Minute
	if err := cmd.Run(); err != nil {
		return withLog(fmt.Errorf("%s: %w", line, err), s.files.apt)
	}
	return nil
}
