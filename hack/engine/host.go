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

// systemPath holds the folders where daemons and their helpers live. An
// ordinary user's PATH, kept by su, lacks them.
var systemPath = []string{"/usr/local/sbin", "/usr/sbin", "/sbin"}

// addSystemPath appends those folders to PATH, for this process and for what it
// starts.
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

// distribution is what /etc/os-release says about the host.
type distribution struct {
	name string   // PRETTY_NAME, or else ID
	ids  []string // ID, then those of ID_LIKE
}

// debianLike reports whether the host takes Debian's packages by apt-get.
func (d distribution) debianLike() bool {
	return slices.Contains(d.ids, "debian") || slices.Contains(d.ids, "ubuntu")
}

func readDistribution() (distribution, error) {
	f, err := os.Open("/etc/os-release")
	if os.IsNotExist(err) {
		return distribution{name: "a system without /etc/os-release"}, nil
	}
	if err != nil {
		return distribution{}, fmt.Errorf("find out the distribution: %w", err)
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

// systemdRuns is systemd's own test (sd_booted).
func systemdRuns() bool {
	info, err := os.Lstat("/run/systemd/system")
	return err == nil && info.IsDir()
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
