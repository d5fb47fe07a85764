// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command flakes runs the suite with each scheduler, and every journey, several
// times, and lists those that did not pass in each round. It does not repeat
// rounds that have a report, so it can be interrupted and resumed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/draconform/draconform/clusters/doctor"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/hack/internal/command"
)

// errFlakes is returned if a variant did not pass in each round. The table
// contains the details.
var errFlakes = errors.New("not every variant passed in each round")

func main() {
	command.Main(func(ctx context.Context, args []string, out io.Writer) error {
		return flakes(ctx, args, out, doctor.NoRoom)
	})
}

// options are the command line flags.
type options struct {
	variant, artifacts, draconform string
	rounds, parallel               int
	list                           bool
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("flakes", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&o.variant, "variant", "", "regular expression that the names of variants must match")
	f.IntVar(&o.rounds, "rounds", 10, "how often each variant is run")
	f.IntVar(&o.parallel, "parallel", 1, "how many variants are run at the same time, each in clusters of its own")
	f.StringVar(&o.artifacts, "artifacts", filepath.Join("_artifacts", "flakes"), "folder that receives a folder for each build of draconform")
	f.StringVar(&o.draconform, "draconform", filepath.Join("bin", "draconform"), "the command that is run")
	f.BoolVar(&o.list, "list", false, "only print the table of what has been run")
	if err := command.Parse(f, args); err != nil {
		return o, err
	}
	if o.rounds < 1 || o.parallel < 1 {
		return o, fmt.Errorf("%w: --rounds and --parallel must be at least 1, and are %d and %d", command.ErrUsage, o.rounds, o.parallel)
	}
	return o, nil
}

// flakes runs the command. noRoom states why this machine is too small for clusters
// with these numbers of workers at the same time.
func flakes(ctx context.Context, args []string, out io.Writer, noRoom func(context.Context, ...int) string) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	chosen, err := command.Choose("variant", o.variant, variants(), func(v variant) string { return v.name })
	if err != nil {
		return fmt.Errorf("%w: %w", command.ErrUsage, err)
	}
	if o.parallel > 1 && !o.list {
		if reason := noRoom(ctx, slices.Repeat([]int{kind.DefaultWorkers}, o.parallel)...); reason != "" {
			return fmt.Errorf("%w: --parallel %d: %s", command.ErrUsage, o.parallel, reason)
		}
	}
	// Another build may behave differently, so its rounds do not count.
	build, err := buildOf(o.draconform)
	if err != nil {
		return err
	}
	r := &runner{draconform: o.draconform, dir: filepath.Join(o.artifacts, build), parallel: o.parallel, progress: progress.New(out)}
	var ran error
	if !o.list {
		ran = r.all(ctx, chosen, o.rounds)
	}
	return errors.Join(ran, r.print(out, chosen, o.rounds))
}
