package nodeimage

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/draconform/draconform/clusters/progress"
)

// hostTool is what the building host needs, and the Debian package it is in.
type hostTool struct {
	file string // a command, or an absolute path
	pkg  string
}

var hostTools = []hostTool{
	{"mmdebstrap", "mmdebstrap"},
	{"/usr/share/keyrings/debian-archive-keyring.gpg", "debian-archive-keyring"},
	{"gcc", "gcc"},
	{"/usr/include/stdlib.h", "libc6-dev"},
	{"pkg-config", "pkg-config"},
	{"/usr/include/seccomp.h", "libseccomp-dev"},
}

// missingTools are packages that the host lacks.
type missingTools []string

// findTools looks for what a build needs.
func findTools(ctx context.Context) (missingTools, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("go"); err != nil {
		return nil, fmt.Errorf("building a node image needs the Go toolchain: %w", err)
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

// install gets the missing packages where apt-get is at hand and may be used.
func (m missingTools) install(ctx context.Context, reporter *progress.Reporter) error {
	if len(m) == 0 {
		return nil
	}
	list := strings.Join(m, " ")
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return fmt.Errorf("building a node image needs the packages %s: install them (on Debian or Ubuntu: sudo apt-get install %s)", list, list)
	}
	st := reporter.Stage("install %s", list)
	for _, args := range [][]string{{"update"}, append([]string{"install", "--yes", "--no-install-recommends"}, m...)} {
		cmd := exec.CommandContext(ctx, "apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return st.Fail(fmt.Errorf("apt-get %s: %w: %s", strings.Join(args, " "), err, lastLines(string(out), 10)))
		}
	}
	st.Done("")
	return nil
}
