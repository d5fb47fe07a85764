// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command right runs the whole suite with schedulers, drivers and kubelets that
// differ from those of the suite and are right, and verifies that no spec fails
// because of them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/hack/internal/command"
	"github.com/draconform/draconform/hack/internal/kindrun"
)

// errBlamed is returned if a spec did not pass because of a variant. The table
// contains the details.
var errBlamed = errors.New("not every variant was judged as right")

// wholeTimeout bounds a run of the whole suite.
const wholeTimeout = 2 * time.Hour

func main() { command.Main(right) }

// options are the command line flags.
type options struct {
	variant, provider, without, artifacts, draconform string
	scale                                             float64
	dryRun                                            bool
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("right", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&o.variant, "variant", "", "regular expression that the names of variants must match")
	f.StringVar(&o.provider, "provider", run.Kind, "where specs run: kind, or control-plane for variants of schedulers and specs without containers")
	f.StringVar(&o.without, "without", "", "report.yaml of an earlier run without a variant and with this provider, in place of that run")
	f.StringVar(&o.artifacts, "artifacts", filepath.Join("_artifacts", "right"), "folder that receives a folder for each run")
	f.StringVar(&o.draconform, "draconform", filepath.Join("bin", "draconform"), "the command that runs specs")
	f.Float64Var(&o.scale, "timeout-scale", 1, "multiply the specs' timeouts by this factor")
	f.BoolVar(&o.dryRun, "dry-run", false, "only print the batches and how long they take")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	if o.provider != run.Kind && o.provider != run.ControlPlane {
		return o, fmt.Errorf("%w: provider %q is not %s or %s", command.ErrUsage, o.provider, run.Kind, run.ControlPlane)
	}
	return o, nil
}

func right(ctx context.Context, args []string, out io.Writer) (err error) {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	all, err := load(data)
	if err != nil {
		return err
	}
	chosen, err := o.choose(all.Variants)
	if err != nil {
		return fmt.Errorf("%w: %w", command.ErrUsage, err)
	}
	without, err := o.earlier()
	if err != nil {
		return err
	}
	batches := divide(chosen)
	if o.dryRun {
		printBatches(out, batches, usualRuns[o.provider], without != nil)
		return nil
	}
	c := &cluster{kindrun.Cluster{Progress: progress.New(out), Dir: o.artifacts, Draconform: o.draconform, Scale: o.scale, Timeout: wholeTimeout}}
	defer func() { err = errors.Join(err, c.Remove(ctx)) }()
	where := o.place(c)
	if err := where.prepare(ctx, all.Workers, batches); err != nil {
		return err
	}
	results, ran := (&runner{target: where, progress: c.Progress, without: without}).run(ctx, batches)
	return errors.Join(ran, writeTable(out, c.Dir, results))
}

// earlier returns the report of an earlier run without a variant, or nil if there is none.
func (o options) earlier() (*report.Report, error) {
	if o.without == "" {
		return nil, nil
	}
	earlier, err := report.Read(o.without)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", command.ErrUsage, err)
	}
	if err := fits(earlier, o.provider); err != nil {
		return nil, fmt.Errorf("%w: %s %w", command.ErrUsage, o.without, err)
	}
	return &earlier, nil
}

// fits returns an error if a report lacks specs that run with variants and a provider.
func fits(earlier report.Report, provider string) error {
	if got := earlier.Cluster.Provider; (got == run.ControlPlane) != (provider == run.ControlPlane) {
		return fmt.Errorf("is about a cluster of provider %s, and variants run with %s", got, provider)
	}
	if slices.ContainsFunc(earlier.Specs, func(s report.Spec) bool { return s.Outcome == suite.Skipped }) {
		return errors.New("is not about the whole suite: it has skipped specs")
	}
	return nil
}

// choose returns the variants that specs are to judge.
func (o options) choose(all []variant) ([]variant, error) {
	if o.provider == run.ControlPlane {
		all = slices.DeleteFunc(slices.Clone(all), func(v variant) bool { return v.Component != scheduler })
	}
	return command.Choose("variant", o.variant, all, func(v variant) string { return v.Name })
}

// place is where specs run with variants.
type place interface {
	target
	// prepare makes it ready for runs with batches.
	prepare(ctx context.Context, workers int, all []batch) error
}

func (o options) place(c *cluster) place {
	if o.provider == run.ControlPlane {
		return &controlPlanes{c}
	}
	return c
}

// writeTable prints the table and writes it to a file.
func writeTable(out io.Writer, dir string, results []result) error {
	if len(results) == 0 {
		return nil
	}
	if err := command.WriteTable(out, dir, table(results)); err != nil {
		return err
	}
	if !conformant(results) {
		return errBlamed
	}
	return nil
}
