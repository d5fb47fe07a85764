// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command mutants adds deliberate faults to schedulers and drivers, one at a
// time, and verifies that the expected specs fail with the expected reason. The
// drivers are the suite's own, or those of vendors, which it knows by a driver
// file only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/hack/internal/command"
)

// errFaults is returned if a fault was not found as expected. The table
// contains the details.
var errFaults = errors.New("not every fault was found as expected")

func main() { command.Main(mutants) }

// options are the command line flags.
type options struct {
	mutant, artifacts, draconform string
	scale                         float64
	list, foreign                 bool
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("mutants", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&o.mutant, "mutant", "", "regular expression that the names of faults must match")
	f.StringVar(&o.artifacts, "artifacts", filepath.Join("_artifacts", "mutants"), "folder that receives a folder for each fault")
	f.StringVar(&o.draconform, "draconform", filepath.Join("bin", "draconform"), "the command that runs specs")
	f.Float64Var(&o.scale, "timeout-scale", 1, "multiply the specs' timeouts by this factor")
	f.BoolVar(&o.foreign, "foreign", false, "break drivers that are installed as those of vendors, and judge them by driver files")
	f.BoolVar(&o.list, "list", false, "only print the faults and the specs that must find them")
	return o, command.Parse(f, args)
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
	chosen, err := all.choose(o.mutant)
	if err != nil {
		return fmt.Errorf("%w: %w", command.ErrUsage, err)
	}
	if o.list {
		printFaults(out, chosen)
		return nil
	}
	if !slices.ContainsFunc(chosen, func(f fault) bool { return f.Awaits == "" }) {
		return errors.New("there is no spec yet for any of the chosen faults, see --list")
	}
	c := &cluster{progress: progress.New(out), dir: o.artifacts, draconform: o.draconform, scale: o.scale}
	defer func() { err = errors.Join(err, c.remove(ctx)) }()
	r := runner{trial: &own{target: c, progress: c.progress}, progress: c.progress}
	prepare := c.prepare
	if o.foreign {
		f := &foreignDrivers{cluster: c, root: "."}
		r.trial, prepare = f, f.prepare
	}
	if err := prepare(ctx, all.Workers, chosen); err != nil {
		return err
	}
	outcomes, tried := r.runFaults(ctx, chosen)
	return errors.Join(tried, printTable(out, c.dir, outcomes))
}

// load returns the catalogue with the faults.
func (o options) load() (catalogue, error) {
	if o.foreign {
		return load(foreignData, foreignComponents, specs.All(), nil)
	}
	return load(data, ownComponents, specs.All(), journeys.All())
}

// printTable prints the table and writes it to a file.
func printTable(out io.Writer, dir string, outcomes []outcome) error {
	if len(outcomes) == 0 {
		return nil
	}
	text := table(outcomes)
	fmt.Fprint(out, text)
	if err := os.WriteFile(filepath.Join(dir, "table.txt"), []byte(text), 0o644); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	if failed(outcomes) {
		return errFaults
	}
	return nil
}
