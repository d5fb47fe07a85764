// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/hack/internal/command"
	breaking "github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/gocmd"
)

// run implements target.
func (c *cluster) run(ctx context.Context, name, driverFault string, specs []string) (report.Report, error) {
	return c.report(ctx, name, nil, c.draconform, "run", "--provider", run.Existing,
		"--kubeconfig", c.provider.GetKubeconfig(), "--context", c.provider.GetKubectlContext(), "--kind-cluster", c.provider.Name(),
		"--scheduler", kind.DraconformScheduler, "--simulate-nodes",
		"--fakedriver-image", broken(images.Fakedriver, driverFault).Ref, "--focus", anyOf(specs))
}

// breaker returns the path of the command that runs journeys with a fault in
// their clusters. An environment variable selects the fault.
func (c *cluster) breaker() string { return filepath.Join(c.dir, "draconform-breaks") }

func (c *cluster) buildBreaker(ctx context.Context) error {
	task := c.progress.Task("command that breaks clusters")
	err := gocmd.Build(ctx, ".", func(done gocmd.Done) { task.Update("%s", done) }, []string{"CGO_ENABLED=0"},
		"-tags", breaking.Tag, "-o", c.breaker(), "./e2e/cmd/draconform")
	if err != nil {
		return task.Fail(fmt.Errorf("build the command: %w", err))
	}
	task.Done("built")
	return nil
}

// runJourneys implements target. All journeys support draconform's scheduler.
func (c *cluster) runJourneys(ctx context.Context, name, what, fault string, journeys []string) (report.Report, error) {
	var env []string
	if fault != "" {
		env = []string{breaking.Breaks + "=" + what + "=" + fault}
	}
	return c.report(ctx, name, env, c.breaker(), "skew", "--scheduler", kind.DraconformScheduler, "--id", strings.Join(journeys, ","))
}

// report runs a command of draconform and returns its report.
func (c *cluster) report(ctx context.Context, name string, env []string, draconform string, args ...string) (report.Report, error) {
	return command.Run{
		Command: draconform, Args: append(args, "--timeout-scale", strconv.FormatFloat(c.scale, 'g', -1, 64)), Env: env,
		Dir: filepath.Join(c.dir, name), Timeout: runTimeout, CleanUp: removeTimeout,
	}.Report(ctx)
}
