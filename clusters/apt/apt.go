// Package apt installs Debian packages.
package apt

import (
	"context"
	"errors"
	"os"
)

// lockTimeout waits for another apt-get, for as many seconds.
const lockTimeout = "DPkg::Lock::Timeout=300"

// Environment keeps packages from asking questions.
func Environment() []string {
	return append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "NEEDRESTART_SUSPEND=1", "LC_ALL=C")
}

// Install installs packages without what they merely recommend. It tries with
// the package lists that are there, and refreshes them only if that fails. run
// runs apt-get with the [Environment]; its error should say what went wrong.
func Install(ctx context.Context, run func(ctx context.Context, program string, args ...string) error, packages []string) error {
	args := append([]string{
		"install", "--yes", "--no-install-recommends",
		"-o", lockTimeout, "-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold",
	}, packages...)
	err := run(ctx, "apt-get", args...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	// One repository of many that does not answer fails the update, and need
	// not be one of those that matter.
	updateErr := run(ctx, "apt-get", "update", "-o", lockTimeout)
	if err = run(ctx, "apt-get", args...); err != nil {
		return errors.Join(err, updateErr)
	}
	return nil
}
