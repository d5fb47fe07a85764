package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

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
	if err := s.aptInstall(ctx, packages); err != nil {
		return st.Fail(err)
	}
	// Debian 13 and later ship the client in a package of its own.
	if !installed("docker") {
		if err := s.aptInstall(ctx, []string{"docker-cli"}); err != nil {
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

// aptInstall tries with the package lists that are there, and refreshes them
// only if that fails.
func (s setup) aptInstall(ctx context.Context, packages []string) error {
	args := append([]string{"install", "--yes", "--no-install-recommends",
		"-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold",
	}, packages...)
	err := s.logged(ctx, "apt-get", args...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	// One repository of many that does not answer fails the update, and need
	// not be one of those that matter.
	updateErr := s.logged(ctx, "apt-get", "update", "-o", "DPkg::Lock::Timeout=300")
	if err = s.logged(ctx, "apt-get", args...); err != nil {
		return errors.Join(err, updateErr)
	}
	return nil
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
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "NEEDRESTART_SUSPEND=1", "LC_ALL=C")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		return withLog(fmt.Errorf("%s: %w", line, err), s.files.apt)
	}
	return nil
}
