// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// systemPath lists folders of daemons and their helpers. The PATH of an
// unprivileged user, which su keeps, lacks them.
var systemPath = []string{"/usr/local/sbin", "/usr/sbin", "/sbin"}

// addSystemPath appends these folders to the PATH of this process and its
// children.
func addSystemPath() error {
	path := strings.Split(os.Getenv("PATH"), ":")
	for _, dir := range systemPath {
		if !slices.Contains(path, dir) {
			path = append(path, dir)
		}
	}
	if err := os.Setenv("PATH", strings.Join(path, ":")); err != nil {
		return fmt.Errorf("extend PATH: %w", err)
	}
	return nil
}

// distribution is the host's distribution according to /etc/os-release.
type distribution struct {
	name string   // PRETTY_NAME, or ID if that is empty
	ids  []string // ID, followed by ID_LIKE
}

// debianLike reports whether the host uses Debian packages and apt-get.
func (d distribution) debianLike() bool {
	return slices.Contains(d.ids, "debian") || slices.Contains(d.ids, "ubuntu")
}

func readDistribution() (distribution, error) {
	f, err := os.Open("/etc/os-release")
	if os.IsNotExist(err) {
		return distribution{name: "a system without /etc/os-release"}, nil
	}
	if err != nil {
		return distribution{}, fmt.Errorf("read the distribution: %w", err)
	}
	defer f.Close()
	return parseDistribution(f)
}

func parseDistribution(release io.Reader) (distribution, error) {
	fields := map[string]string{}
	lines := bufio.NewScanner(release)
	for lines.Scan() {
		if key, value, ok := strings.Cut(strings.TrimSpace(lines.Text()), "="); ok {
			fields[key] = strings.Trim(value, `"'`)
		}
	}
	if err := lines.Err(); err != nil {
		return distribution{}, fmt.Errorf("read os-release: %w", err)
	}
	d := distribution{name: fields["PRETTY_NAME"], ids: strings.Fields(fields["ID"] + " " + fields["ID_LIKE"])}
	if d.name == "" {
		d.name = fields["ID"]
	}
	return d, nil
}

// systemdRuns reports whether systemd is the init system, with the same test as
// sd_booted.
func systemdRuns() bool {
	info, err := os.Lstat("/run/systemd/system")
	return err == nil && info.IsDir()
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
