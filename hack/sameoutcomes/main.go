// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command sameoutcomes compares the outcomes of a run with the provider control-plane
// with those of a run in a kind cluster. Specs that only one of them can run are left
// out: those that need running containers, or the metrics of a control plane.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/hack/internal/command"
)

// errDiffer is returned if an outcome differs. The output has the details.
var errDiffer = errors.New("outcomes differ")

func main() { command.Main(sameOutcomes) }

func sameOutcomes(_ context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("sameoutcomes", flag.ContinueOnError)
	f.SetOutput(out)
	if err := f.Parse(args); err != nil || f.NArg() != 2 {
		return errors.Join(fmt.Errorf("%w: give report.yaml of a control plane and report.yaml of a kind cluster", command.ErrUsage), err)
	}
	ofControlPlane, err := report.Read(f.Arg(0))
	if err != nil {
		return err
	}
	ofKind, err := report.Read(f.Arg(1))
	if err != nil {
		return err
	}
	c, err := compare(ofControlPlane, ofKind)
	if err != nil {
		return err
	}
	for _, difference := range c.differences {
		fmt.Fprintln(out, difference)
	}
	fmt.Fprintf(out, "%d specs with the same outcome, %d of them run; %d differ; %d need running containers, %d the metrics of a control plane, %d are not selected in one of the runs\n",
		c.same, c.run, len(c.differences), c.containers, c.metrics, c.unselected)
	if len(c.differences) > 0 {
		return errDiffer
	}
	return nil
}
