// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package apt installs Debian packages.
package apt

import (
	"context"
	"errors"
	"os"
)

// lockTimeout makes apt-get wait up to 300 seconds for the lock of another
// apt-get.
const lockTimeout = "DPkg::Lock::Timeout=300"

// Environment returns the environment of apt-get, in which packages do not
// prompt.
func Environment() []string {
	return append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "NEEDRESTART_SUSPEND=1", "LC_ALL=C")
}

// Install installs packages without their recommended packages. It first uses
// the existing package lists and updates them only if that fails. run runs
// apt-get with the [Environment]. Its error should describe the failure.
func Install(ctx context.Context, run func(ctx context.Context, program string, args ...string) error, packages []string) error {
	args := append([]string{
		"install", "--yes", "--no-install-recommends",
		"-o", lockTimeout, "-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold",
	}, packages...)
	err := run(ctx, "apt-get", args...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	// The update fails if any repository does not respond, even one that the
	// packages do not need.
	updateErr := run(ctx, "apt-get", "update", "-o", lockTimeout)
	if err = run(ctx, "apt-get", args...); err != nil {
		return errors.Join(err, updateErr)
	}
	return nil
}
