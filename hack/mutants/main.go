// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command mutants adds deliberate faults to schedulers, drivers, kubelets and API
// servers, and verifies that the expected specs fail with the expected reason:
// one fault at a time, with these specs, or in batches, with the whole suite. The
// drivers are the suite's own, or those of vendors, which it knows by a driver
// file only.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/hack/internal/command"
	"github.com/draconform/draconform/hack/internal/kindrun"
)

// How many drivers are judged at the same time by default. A control plane of its own for each needs more than a
// driver in the same cluster.
const (
	foreignTogether = 8
	classicTogether = 4
)

// errFaults is returned if a fault was not found as expected. The table
// contains the details.
var errFaults = errors.New("not every fault was found as expected")

func main() { command.Main(mutants) }

// options are the command line flags.
type options struct {
	mutant, artifacts, draconform, provider string
	scale                                   float64
	parallel                                int
	list, whole, dryRun                     bool
	foreign, classic, needsContainers       bool
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("mutants", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&o.mutant, "mutant", "", "regular expression that the names of faults must match")
	f.StringVar(&o.artifacts, "artifacts", filepath.Join("_artifacts", "mutants"), "folder that receives a folder for each fault")
	f.StringVar(&o.draconform, "draconform", filepath.Join("bin", "draconform"), "the command that runs specs")
	f.StringVar(&o.provider, "provider", run.Kind, "where specs run: "+run.Kind+", or "+run.ControlPlane+" for faults of schedulers only, which takes a third of the time")
	f.BoolVar(&o.needsContainers, "needs-containers", false, "only faults that --provider "+run.ControlPlane+" cannot try")
	f.Float64Var(&o.scale, "timeout-scale", 1, "multiply the specs' timeouts by this factor")
	f.BoolVar(&o.foreign, "foreign", false, "break drivers that are installed as those of vendors, and judge them by driver files")
	f.IntVar(&o.parallel, "parallel", 0, fmt.Sprintf("with --foreign or --classic, how many drivers are judged at the same time; 0 means %d or %d", foreignTogether, classicTogether))
	f.BoolVar(&o.classic, "classic", false, "break the driver of classic DRA, with control planes of the releases that have it")
	f.BoolVar(&o.whole, "whole", false, "run the whole suite with batches of faults, not each fault with the specs that must find it")
	f.BoolVar(&o.dryRun, "dry-run", false, "with --whole, only print the batches and how long they take")
	f.BoolVar(&o.list, "list", false, "only print the faults and the specs that must find them")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	switch {
	case o.provider != run.Kind && o.provider != run.ControlPlane:
		return o, fmt.Errorf("%w: provider must be %s or %s, not %q", command.ErrUsage, run.Kind, run.ControlPlane, o.provider)
	case o.provider != run.Kind && o.foreign:
		return o, fmt.Errorf("%w: --foreign needs --provider %s", command.ErrUsage, run.Kind)
	case o.provider != run.Kind && o.needsContainers:
		return o, fmt.Errorf("%w: --needs-containers needs --provider %s", command.ErrUsage, run.Kind)
	case o.whole && (o.foreign || o.classic || o.list):
		return o, fmt.Errorf("%w: --whole has neither --foreign nor --classic nor --list", command.ErrUsage)
	case o.foreign && o.classic:
		return o, fmt.Errorf("%w: --foreign and --classic break different drivers", command.ErrUsage)
	case o.parallel < 0:
		return o, fmt.Errorf("%w: parallel must not be negative: %d", command.ErrUsage, o.parallel)
	case o.dryRun && !o.whole:
		return o, fmt.Errorf("%w: --dry-run needs --whole", command.ErrUsage)
	}
	return o, nil
}

func mutants(ctx context.Context, args []string, out io.Writer) (err error) {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	all, err := o.load()
	if err != nil {
		return err
	}
	chosen, err := o.choose(all)
	if err != nil {
		return fmt.Errorf("%w: %w", command.ErrUsage, err)
	}
	if o.list {
		printFaults(out, chosen)
		return nil
	}
	if o.dryRun {
		printBatches(out, divide(chosen), chosen, paces[o.provider])
		return nil
	}
	if !slices.ContainsFunc(chosen, func(f fault) bool { return f.Awaits == "" }) {
		return errors.New("there is no spec yet for any of the chosen faults, see --list")
	}
	c := &cluster{Cluster: kindrun.Cluster{Progress: progress.New(out), Dir: o.artifacts, Draconform: o.draconform, Scale: o.scale}}
	defer func() { err = errors.Join(err, c.Remove(ctx)) }()
	where := o.place(c)
	if o.whole {
		return wholeSuite(ctx, out, c, where, all.Workers, divide(chosen))
	}
	r, prepare := runner{trial: &own{target: where, progress: c.Progress}, progress: c.Progress}, where.prepare
	switch {
	case o.foreign:
		f := &foreignDrivers{cluster: c, root: "."}
		r.trial, prepare = f, f.prepare
		r.parallel, r.together = cmp.Or(o.parallel, foreignTogether), together
	case o.classic:
		d := &classicDrivers{c}
		r.trial, prepare = d, d.prepare
		r.parallel, r.together = cmp.Or(o.parallel, classicTogether), separate
	}
	if err := prepare(ctx, all.Workers, chosen); err != nil {
		return err
	}
	outcomes, tried := r.runFaults(ctx, chosen)
	return errors.Join(tried, printTable(out, c.Dir, outcomes))
}

// place is where specs run with faults.
type place interface {
	target
	// prepare makes it ready for runs with single faults.
	prepare(ctx context.Context, workers int, faults []fault) error
	// prepareBatches makes it ready for runs with batches of faults.
	prepareBatches(ctx context.Context, workers int, all []batch) error
}

func (o options) place(c *cluster) place {
	if o.provider == run.ControlPlane {
		return &controlPlanes{cluster: c}
	}
	return c
}

// wholeSuite runs the whole suite with batches of faults.
func wholeSuite(ctx context.Context, out io.Writer, c *cluster, where place, workers int, all []batch) error {
	if len(all) == 0 {
		return errors.New("only journeys find the chosen faults: run them without --whole")
	}
	c.Timeout = wholeTimeout
	if err := where.prepareBatches(ctx, workers, all); err != nil {
		return err
	}
	ours := &own{target: where, progress: c.Progress}
	r := runner{trial: ours, progress: c.Progress}
	results, tried := r.whole(ctx, ours, all)
	if len(results) == 0 {
		return tried
	}
	if !allKilled(results) {
		tried = errors.Join(tried, errFaults)
	}
	return errors.Join(tried, command.WriteTable(out, c.Dir, wholeTable(results)))
}

// load returns the catalogue with the faults.
func (o options) load() (catalogue, error) {
	switch {
	case o.foreign:
		return load(foreignData, foreignComponents, specs.All(), nil)
	case o.classic:
		return load(classicData, classicComponents, specs.All(), nil)
	}
	return load(data, ownComponents, specs.All(), journeys.All())
}

// choose returns the faults that specs must find.
func (o options) choose(all catalogue) ([]fault, error) {
	chosen, err := all.choose(o.mutant)
	if err != nil {
		return nil, err
	}
	withoutNodes, what := judgedWithoutNodes(chosen, specs.All()), "one that specs without containers find"
	switch {
	case o.provider == run.ControlPlane:
		chosen = withoutNodes
	case o.needsContainers:
		tried := names(withoutNodes)
		chosen, what = slices.DeleteFunc(chosen, func(f fault) bool { return slices.Contains(tried, f.Name) }), "one that only specs with containers find"
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no fault that matches %q is %s", o.mutant, what)
	}
	return chosen, nil
}

// printTable prints the table and writes it to a file.
func printTable(out io.Writer, dir string, outcomes []outcome) error {
	if len(outcomes) == 0 {
		return nil
	}
	if err := command.WriteTable(out, dir, table(outcomes)); err != nil {
		return err
	}
	if failed(outcomes) {
		return errFaults
	}
	return nil
}
