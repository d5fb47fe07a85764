// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const baseTar = "base.tar"

// customize lists the changes that kind's own base image makes to a fresh
// Debian: only the units that nodes enable themselves start, and the journal
// contains no kernel messages of the host. "$1" is the root of the new system.
var customize = []string{
	`find "$1"/lib/systemd/system/sysinit.target.wants/ -name systemd-tmpfiles-setup.service -delete`,
	`rm -f "$1"/lib/systemd/system/multi-user.target.wants/* "$1"/etc/systemd/system/*.wants/*`,
	`rm -f "$1"/lib/systemd/system/local-fs.target.wants/* "$1"/lib/systemd/system/basic.target.wants/*`,
	`rm -f "$1"/lib/systemd/system/sockets.target.wants/*udev* "$1"/lib/systemd/system/sockets.target.wants/*initctl*`,
	`echo ReadKMsg=no >> "$1"/etc/systemd/journald.conf`,
	// systemd creates a new machine id at the first boot of each node.
	`rm -f "$1"/etc/machine-id "$1"/var/lib/dbus/machine-id`,
	`rm -rf "$1"/var/cache/debconf "$1"/var/log/* "$1"/var/lib/apt/lists`,
}

// base is the artifact with the Debian base filesystem of a node.
func (d debian) base() artifact {
	return artifact{
		name: "base",
		key:  key(d, customize),
		what: fmt.Sprintf("base filesystem (Debian %s, %d packages and what they need)", d.Suite, len(d.Packages)),
		build: func(ctx context.Context, dir string, update func(string, ...any)) error {
			return d.bootstrap(ctx, filepath.Join(dir, baseTar), update)
		},
	}
}

func (d debian) bootstrap(ctx context.Context, tarball string, update func(string, ...any)) error {
	args := []string{
		"--variant=minbase", "--format=tar",
		"--include=" + strings.Join(d.Packages, ","),
		"--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr",
		"--keyring=/usr/share/keyrings/debian-archive-keyring.gpg",
	}
	for _, path := range d.Exclude {
		args = append(args, "--dpkgopt=path-exclude="+path)
	}
	for _, path := range d.Include { // of two matching options, dpkg uses the later one
		args = append(args, "--dpkgopt=path-include="+path)
	}
	for _, script := range customize {
		args = append(args, "--customize-hook="+script)
	}
	args = append(args, d.Suite, tarball, d.Mirror)
	cmd := exec.CommandContext(ctx, "mmdebstrap", args...)
	// On an interrupt, mmdebstrap unmounts and removes its working folder.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start mmdebstrap: %w", err)
	}
	var last []string
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if last = append(last, lines.Text()); len(last) > 20 {
			last = last[1:]
		}
		if step, ok := strings.CutPrefix(lines.Text(), "I: "); ok {
			update("%s", step)
		}
	}
	// After a line that is too long, the command would block on its output.
	_, _ = io.Copy(io.Discard, stderr)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("mmdebstrap: %w: %s", err, strings.Join(last, "\n"))
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the output of mmdebstrap: %w", err)
	}
	return nil
}
