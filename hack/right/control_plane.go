// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/hack/internal/command"
	"github.com/draconform/draconform/hack/internal/draconform"
	"github.com/draconform/draconform/hack/internal/kindrun"
	switched "github.com/draconform/draconform/internal/variant"
)

// controlPlanes starts a control plane on this machine for each run, whose scheduler
// has variants. There are no drivers, and no specs with containers.
type controlPlanes struct{ *cluster }

// command returns the path of the command that starts control planes with variants.
func (c *controlPlanes) command() string { return filepath.Join(c.Dir, "draconform-varies") }

// prepare implements place.
func (c *controlPlanes) prepare(ctx context.Context, _ int, _ []batch) error {
	if _, _, err := c.Begin(); err != nil {
		return err
	}
	return switches.Command(ctx, c.Progress.Task("command with variants"), c.command())
}

// run implements target.
func (c *controlPlanes) run(ctx context.Context, name string, b batch, specs []string) (report.Report, error) {
	r := draconform.Run{Dir: name, Command: c.command()}
	if on := b.of(scheduler); len(on) > 0 {
		r.Env = []string{switched.Varies + "=" + scheduler + "=" + strings.Join(on, ",")}
	}
	args := append([]string{"run", "--provider", run.ControlPlane, "--scheduler", skew.DraconformScheduler}, kindrun.Scope{Focus: command.Exactly(specs)}.Args()...)
	return c.Report(ctx, r, args...)
}
