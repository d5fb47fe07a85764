// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// packages are installed in a throw-away root in addition to a minimal Debian. They are the requirements in the README,
// except Go, which is that of this machine.
var packages = []string{"ca-certificates", "git", "make"}

// hostFiles are the files of this machine that are needed to access the network.
var hostFiles = []string{"/etc/hosts", "/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"}

// enter makes the folder $1 the root of a new mount namespace that contains the Go toolchain of this machine, and runs
// the remaining arguments there.
//
//go:embed enter.sh
var enter string

// root is a throw-away Debian root filesystem.
type root struct{ dir string }

// newRoot creates a root below a folder.
func newRoot(ctx context.Context, below string) (root, error) {
	dir, err := os.MkdirTemp(below, "draconform-bench-")
	if err != nil {
		return root{}, err
	}
	r := root{dir}
	if err := r.fill(ctx); err != nil {
		return root{}, errors.Join(err, r.remove(ctx))
	}
	return r, nil
}

// fill installs Debian, and what the root needs of this machine to reach the
// network.
func (r root) fill(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "mmdebstrap", "--variant=minbase", "--include="+strings.Join(packages, ","),
		"--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr", "bookworm", r.dir, "http://deb.debian.org/debian")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("create a throw-away root: %w: %s", err, lastLines(out))
	}
	for _, name := range hostFiles {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// clone clones the last commit of a repository into the folder src of the root.
func (r root) clone(ctx context.Context, repository string) error {
	out, err := exec.CommandContext(ctx, "git", "clone", "--quiet", "--no-local", repository, filepath.Join(r.dir, "src")).CombinedOutput()
	if err != nil {
		return fmt.Errorf("clone %s: %w: %s", repository, err, lastLines(out))
	}
	return nil
}

// command returns a command that runs a shell script in the root. The script is the first process of a new PID
// namespace. When it ends, the kernel kills all processes that it started.
func (r root) command(ctx context.Context, home, script string) (*exec.Cmd, error) {
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find the Go toolchain: %w", err)
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", enter, "enter", r.dir, strings.TrimSpace(string(goroot)), script)
	cmd.Env = []string{
		"HOME=" + home, "LANG=C.UTF-8", "GOTOOLCHAIN=local",
		"PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	}
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasSuffix(strings.ToUpper(name), "_PROXY") || name == "GOPROXY" || name == "GOSUMDB" {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		Pdeathsig:  syscall.SIGKILL,
	}
	// The script may end what it has started first.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Minute
	return cmd, nil
}

// bytes returns the disk usage of a folder of the root.
func (r root) bytes(ctx context.Context, folder string) (int64, error) {
	out, err := exec.CommandContext(ctx, "du", "--summarize", "--block-size=1", filepath.Join(r.dir, folder)).Output()
	if err != nil {
		return 0, fmt.Errorf("measure %s: %w", folder, err)
	}
	var n int64
	_, err = fmt.Sscan(string(out), &n)
	return n, err
}

// remove removes the root. Its mounts ended with their namespace.
func (r root) remove(ctx context.Context) error {
	// Files in the module cache are read-only.
	out, err := exec.CommandContext(context.WithoutCancel(ctx), "rm", "--recursive", "--force", "--one-file-system", r.dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("remove %s: %w: %s", r.dir, err, lastLines(out))
	}
	return nil
}

func lastLines(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}
