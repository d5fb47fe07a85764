// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/internal/gocmd"
)

// startPage has the commands that lead a vendor from nothing to a verdict.
var startPage = filepath.Join("docs", "start.md")

// startProfile is the profile to which the driver must conform.
const startProfile = "driver"

// The section with the commands, and a command in a block of code.
const startSection = "\n## Five commands\n"

var startCommand = regexp.MustCompile(`(?m)^    (\S.*)$`)

// startCommands returns the commands of the page.
func startCommands(page string) ([]string, error) {
	_, section, ok := strings.Cut(page, startSection)
	if !ok {
		return nil, fmt.Errorf("%s has no section %q", startPage, strings.TrimSpace(startSection))
	}
	section, _, _ = strings.Cut(section, "\n## ")
	section, _, _ = strings.Cut(section, "The end of the output")
	var commands []string
	for _, found := range startCommand.FindAllStringSubmatch(section, -1) {
		commands = append(commands, found[1])
	}
	if len(commands) != 5 {
		return nil, fmt.Errorf("%s has %d commands, not five", startPage, len(commands))
	}
	return commands, nil
}

// lookAround returns commands of other pages that look at a kind cluster and change
// nothing. Tests without a container engine cannot execute them.
func lookAround(name string) []string {
	return []string{"draconform cluster list", "draconform cluster status " + name, "draconform cluster logs " + name + " logs", "draconform pools"}
}

// fromNothing runs the commands of the page as a vendor does. The last one must end
// with the verdict passed, for a driver that conforms to the profile of drivers. Then it
// looks at the cluster.
func (c *cluster) fromNothing(ctx context.Context, page string, out io.Writer) error {
	commands, err := startCommands(page)
	if err != nil {
		return err
	}
	kubeconfig := c.provider.GetKubeconfig()
	for _, command := range commands {
		if err := c.shell(ctx, command, kubeconfig, out); err != nil {
			return fmt.Errorf("%s: %s: %w", startPage, command, err)
		}
	}
	for _, command := range lookAround(c.provider.Name()) {
		if err := c.shell(ctx, command, kubeconfig, out); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return checkStart(filepath.Join(c.dir, "_artifacts"))
}

// shell runs a command of the page in the folder of the results. What it installs is
// built from the checkout, and is the first in the path of the commands after it.
func (c *cluster) shell(ctx context.Context, command, kubeconfig string, out io.Writer) error {
	ctx, cancel := context.WithTimeoutCause(ctx, runTimeout, fmt.Errorf("timed out after %s", runTimeout))
	defer cancel()
	fmt.Fprintf(out, "$ %s\n", command)
	bin, dir := filepath.Join(c.dir, "bin"), c.dir
	if text, ok := strings.CutSuffix(command, "@latest"); ok {
		command, dir = text, ""
	}
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", command)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "GOBIN="+bin, "KUBECONFIG="+kubeconfig,
		"CGO_ENABLED=0", "GOFLAGS="+quoted(gocmd.Flags)) // Packages are not compiled twice.
	// The command and what it has started have a process group of their own, so that Ctrl-C
	// reaches them only once: draconform ends at the second signal and leaves what it created.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = removeTimeout
	err := cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// quoted returns flags as the go command reads them from its environment.
func quoted(flags []string) string {
	all := make([]string, 0, len(flags))
	for _, flag := range flags {
		all = append(all, "'"+flag+"'")
	}
	return strings.Join(all, " ")
}

// checkStart checks the reports of the two runs in a folder.
func checkStart(dir string) error {
	paths, err := filepath.Glob(filepath.Join(dir, "*", report.File))
	if err != nil {
		return fmt.Errorf("find the reports: %w", err)
	}
	if len(paths) != 2 {
		return fmt.Errorf("%s has %d reports, not those of the smoke set and of all specs", dir, len(paths))
	}
	for _, path := range paths {
		r, err := report.Read(path)
		if err != nil {
			return err
		}
		if r.Verdict.Result != report.Passed {
			return fmt.Errorf("%s: the verdict is %s, not %s", path, r.Verdict.Result, report.Passed)
		}
	}
	last, err := report.Read(paths[1]) // The names of the folders begin with the time.
	if err != nil {
		return err
	}
	conforms := slices.ContainsFunc(last.Verdict.Profiles, func(p report.Profile) bool {
		return p.Name == startProfile && p.Result == report.Conformant
	})
	if !conforms {
		return errors.New("the driver does not conform to the profile " + startProfile)
	}
	return nil
}
