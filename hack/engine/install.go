package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/draconform/draconform/clusters/apt"
	"github.com/draconform/draconform/clusters/engine/caps"
)

// installTimeout bounds apt-get, the wait for another one's lock included.
const installTimeout = 10 * time.Minute

// install installs what is missing to run Docker.
func (s setup) install(ctx context.Context, withheld caps.Set) error {
	packages := missingPackages(installed)
	if len(packages) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	st := s.Stage("no container engine answers: install %s", strings.Join(packages, " "))
	if err := apt.Install(ctx, s.logged, packages); err != nil {
		return st.Fail(err)
	}
	// Debian 13 and later ship the client in a package of its own.
	if !installed("docker") {
		if err := apt.Install(ctx, s.logged, []string{"docker-cli"}); err != nil {
			return st.Fail(err)
		}
	}
	// systemd has started the service with the package, without the flags that
	// this host needs.
	if systemdRuns() && withheld != 0 {
		if err := s.logged(ctx, "systemctl", "stop", "docker.socket", "docker.service"); err != nil {
			return st.Fail(err)
		}
	}
	st.Done("")
	return nil
}

// missingPackages returns the packages of Debian and Ubuntu for the programs
// that are not installed.
func missingPackages(installed func(program string) bool) []string {
	var out []string
	if !installed("dockerd") {
		out = append(out, "docker.io")
	}
	// Docker's package merely recommends it on some releases, and its networks
	// cannot be had without.
	if !installed("iptables") {
		out = append(out, "iptables")
	}
	return out
}

// logged runs a program with its output in apt's log, which is part of the
// error if it fails.
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
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		return withLog(fmt.Errorf("%s: %w", line, err), s.files.apt)
	}
	return nil
}
