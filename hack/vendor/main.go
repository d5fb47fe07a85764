// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command vendor judges drivers that are not the suite's own, as their vendors
// would: it builds and installs them in a kind cluster, runs specs by their
// driver files, and compares the outcomes with the expected ones.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/hack/internal/command"
)

// errUnexpected is returned if outcomes differ from the expected ones. The
// output contains the differences.
var errUnexpected = errors.New("the outcomes are not the expected ones")

func main() { command.Main(vendor) }

// options are the command line flags.
type options struct {
	release, gates, artifacts, draconform, source, focus, render string
	scale                                                        float64
	keep, audit, start                                           bool
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("vendor", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&o.release, "release", "", "Kubernetes release (default the newest supported)")
	f.StringVar(&o.gates, "gates", "", "DRA feature gates (default those of the file with the expected outcomes)")
	f.StringVar(&o.focus, "focus", "", "regular expression that the ids of specs must match; the others are not compared")
	f.StringVar(&o.source, "source", filepath.Join("e2e", "vendors"), "folder with the drivers, their manifests and their driver files")
	f.StringVar(&o.artifacts, "artifacts", filepath.Join("_artifacts", "vendor"), "folder that receives a folder for the run")
	f.StringVar(&o.draconform, "draconform", filepath.Join("bin", "draconform"), "the command that runs specs")
	f.Float64Var(&o.scale, "timeout-scale", 1, "multiply the specs' timeouts by this factor")
	f.StringVar(&o.render, "render", "", "only write the images of the drivers and their manifest into this folder")
	f.BoolVar(&o.audit, "audit-rights", false, "instead of comparing outcomes, compare the rights that runs use with those of their roles, by an audit log")
	f.BoolVar(&o.start, "start", false, "instead of comparing outcomes, run the commands of "+startPage+" for one of the drivers")
	f.BoolVar(&o.keep, "keep", false, "keep the cluster")
	return o, command.Parse(f, args)
}

func vendor(ctx context.Context, args []string, out io.Writer) (err error) {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	release, err := clusters.FindRelease(cmp.Or(o.release, clusters.Newest().Version))
	if err != nil {
		return fmt.Errorf("%w: %w", command.ErrUsage, err)
	}
	if o.render != "" {
		return render(ctx, o, release, progress.New(out))
	}
	expected, err := readExpected(filepath.Join(o.source, expectedFile), specs.All())
	if err != nil {
		return err
	}
	set, err := gates.Parse(cmp.Or(o.gates, expected.gatesOf(release), "default"), release)
	if err != nil {
		return fmt.Errorf("%w: %w", command.ErrUsage, err)
	}
	c := &cluster{options: o, release: release, gates: set, progress: progress.New(out)}
	defer func() { err = errors.Join(err, c.remove(ctx)) }()
	if err := c.create(ctx); err != nil {
		return err
	}
	if err := c.install(ctx); err != nil {
		return err
	}
	if o.audit {
		return c.auditRights(ctx, out)
	}
	if o.start {
		page, err := os.ReadFile(startPage)
		if err != nil {
			return fmt.Errorf("read the commands: %w", err)
		}
		return c.fromNothing(ctx, string(page), out)
	}
	got, err := c.judge(ctx, out)
	if err != nil {
		return err
	}
	return expected.compare(out, release, got, o.focus != "")
}
