// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command benche2e measures runs with filled caches, as a developer has them again and
// again: of the suite in a kind cluster, of the specs of schedulers, of drivers that are
// not ours, and of a journey. Each has a part of its own in a page.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/hack/internal/command"
	"github.com/draconform/draconform/hack/internal/measure"
)

func main() { command.Main(benchmark) }

// options are the command line flags.
type options struct {
	rounds                int
	paths, artifacts, out string
	dryRun                bool
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("benche2e", flag.ContinueOnError)
	f.SetOutput(out)
	f.IntVar(&o.rounds, "rounds", 3, "how often each path is measured")
	f.StringVar(&o.paths, "paths", "", "regular expression that the names of paths must match")
	f.StringVar(&o.artifacts, "artifacts", filepath.Join("_artifacts", "bench-e2e"), "folder that receives the output and the results of each round")
	f.StringVar(&o.out, "out", filepath.Join("docs", "performance.md"), "page that has a part for each path")
	f.BoolVar(&o.dryRun, "dry-run", false, "only print the commands")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	if o.rounds < 1 {
		return o, fmt.Errorf("%w: --rounds must be at least 1, not %d", command.ErrUsage, o.rounds)
	}
	return o, nil
}

func benchmark(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	all, err := readPaths()
	if err != nil {
		return err
	}
	chosen, err := command.Choose("path", o.paths, all, func(p path) string { return p.Name })
	if err != nil {
		return fmt.Errorf("%w: %w", command.ErrUsage, err)
	}
	if o.dryRun {
		for _, p := range chosen {
			_, _ = fmt.Fprintf(out, "%s: %s, not measured\n%s: %s, rounds: %d\n", p.Name, p.command(p.Warm...), p.Name, p.command(), o.rounds)
		}
		return nil
	}
	m, err := measure.DescribeMachine(ctx)
	if err != nil {
		return err
	}
	b := &bench{options: o, machine: m, reporter: progress.New(out)}
	var failed []error
	for _, p := range chosen {
		if ctx.Err() != nil {
			break
		}
		if err := b.measure(ctx, p); err != nil {
			failed = append(failed, fmt.Errorf("measure %s: %w", p.Name, err))
		}
	}
	return errors.Join(failed...)
}
