// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/draconform/draconform/clusters/apt"
	"github.com/draconform/draconform/clusters/progress"
)

// hostTool is a requirement of the building host and the Debian package that
// contains it.
type hostTool struct {
	file string // a command, or an absolute path
	pkg  string
}

var hostTools = []hostTool{
	{"mmdebstrap", "mmdebstrap"},
	{"/usr/share/keyrings/debian-archive-keyring.gpg", "debian-archive-keyring"},
	{"gcc", "gcc"},
	{"/usr/include/stdlib.h", "libc6-dev"},
}

// missingTools are the Debian packages that the host lacks.
type missingTools []string

// findTools returns the packages that a build needs and the host lacks.
func findTools(ctx context.Context) (missingTools, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("go"); err != nil {
		return nil, fmt.Errorf("building a node image needs the Go toolchain: %w: install it, see https://go.dev/doc/install", err)
	}
	var missing missingTools
	for _, tool := range hostTools {
		if strings.HasPrefix(tool.file, "/") {
			if !exists(tool.file) {
				missing = append(missing, tool.pkg)
			}
			continue
		}
		if _, err := exec.LookPath(tool.file); err != nil {
			missing = append(missing, tool.pkg)
		}
	}
	return missing, ctx.Err()
}

// install installs the missing packages with apt-get. It returns an error if
// apt-get does not exist or the user is not root.
func (m missingTools) install(ctx context.Context, reporter *progress.Reporter) error {
	if len(m) == 0 {
		return nil
	}
	list := strings.Join(m, " ")
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return fmt.Errorf("building a node image needs the packages %s: install them (on Debian or Ubuntu: sudo apt-get install %s)", list, list)
	}
	task := reporter.Task("install %s", list)
	err := apt.Install(ctx, func(ctx context.Context, program string, args ...string) error {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Env = apt.Environment()
		// Killed, it would leave packages that are half installed.
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
		cmd.WaitDelay = time.Minute
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, lastLines(string(out), 10))
		}
		return nil
	}, m)
	if err != nil {
		return task.Fail(err)
	}
	task.Done("")
	return nil
}
