package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/run"
	breaking "github.com/draconform/draconform/internal/fault"
)

// run has a process of its own, because specs run once in a process.
func (c *cluster) run(ctx context.Context, name, driverFault string, specs []string) (report.Report, error) {
	return c.report(ctx, name, nil, c.draconform, "run", "--provider", run.Existing,
		"--kubeconfig", c.provider.GetKubeconfig(), "--context", c.provider.GetKubectlContext(), "--kind-cluster", c.provider.Name(),
		"--scheduler", kind.DraconformScheduler, "--simulate-nodes",
		"--fakedriver-image", broken(images.Fakedriver, driverFault).Ref, "--focus", anyOf(specs))
}

// breaker is the command that goes on journeys through clusters in which
// something is broken: a variable says what.
func (c *cluster) breaker() string { return filepath.Join(c.dir, "draconform-breaks") }

func (c *cluster) buildBreaker(ctx context.Context) error {
	st := c.progress.Stage("command that breaks clusters")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", breaking.Tag, "-o", c.breaker(), "./e2e/cmd/draconform")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return st.Fail(fmt.Errorf("build it: %w: %s", err, out))
	}
	st.Done("built")
	return nil
}

// travel implements place. All journeys that may have our scheduler.
func (c *cluster) travel(ctx context.Context, name, what, fault string, journeys []string) (report.Report, error) {
	var env []string
	if fault != "" {
		env = []string{breaking.Breaks + "=" + what + "=" + fault}
	}
	return c.report(ctx, name, env, c.breaker(), "skew", "--scheduler", kind.DraconformScheduler, "--id", strings.Join(journeys, ","))
}

// report calls a command of draconform's, and reads the report of its run.
func (c *cluster) report(ctx context.Context, name string, env []string, command string, args ...string) (report.Report, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, runTimeout, fmt.Errorf("it takes more than %s", runTimeout))
	defer cancel()
	dir := filepath.Join(c.dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return report.Report{}, fmt.Errorf("make the folder of fault %s: %w", name, err)
	}
	output, err := os.Create(filepath.Join(dir, outputFile))
	if err != nil {
		return report.Report{}, fmt.Errorf("keep the output of a run: %w", err)
	}
	defer func() { _ = output.Close() }()
	cmd := exec.CommandContext(ctx, command, append(args, "--artifacts", dir, "--timeout-scale", strconv.FormatFloat(c.scale, 'g', -1, 64))...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = output, output
	// Interrupted, it cleans up.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = removeTimeout
	return found(ctx, dir, cmd.Run())
}

// found reads the report of the one run in a folder, which says more than how
// the run's process ended.
func found(ctx context.Context, dir string, ended error) (report.Report, error) {
	if ctx.Err() != nil {
		return report.Report{}, context.Cause(ctx)
	}
	reports, err := filepath.Glob(filepath.Join(dir, "*", report.File))
	if err != nil {
		return report.Report{}, fmt.Errorf("look for the report of a run: %w", err)
	}
	switch {
	case len(reports) == 0 && ended != nil:
		return report.Report{}, fmt.Errorf("run specs, see %s: %w", filepath.Join(dir, outputFile), ended)
	case len(reports) != 1:
		return report.Report{}, fmt.Errorf("there are %d reports and not one in %s", len(reports), dir)
	}
	return report.Read(reports[0])
}
