// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/untried"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/suite"
)

// errUntried states that no run has tried some specs. The output already reports
// them.
var errUntried = fmt.Errorf("no run has tried some specs: %w", errReported)

// untriedSpecs is the JSON output.
type untriedSpecs struct {
	// Runs is the number of reports.
	Runs int `json:"runs"`
	// Specs is the number of selected specs and journeys.
	Specs   int            `json:"specs"`
	Untried []untried.Spec `json:"untried"`
}

func newReportUntried() *cobra.Command {
	var selection suite.Selection
	var output string
	all := slices.Concat(specs.All(), journeys.All())
	cmd := &cobra.Command{
		Use:   "untried DIR...",
		Short: "List the specs and journeys that no run has tried",
		Long: `List the specs and journeys of this version that neither passed nor failed in any of
several runs, with the reasons of the runs. A spec that no job of a CI matrix tries
fails none of them, for example if the matrix has no cluster with its feature.

DIR is the folder of a run, its report.yaml, or a folder with runs at any depth.
Flags select the specs that must have been tried. Without flags, these are all that
supported releases of Kubernetes can have.

Exit status: 0 if at least one run has tried each of them; 1 if none has tried some;
2 if flags, arguments or files are invalid.`,
		Example: `  draconform report untried _artifacts
  draconform report untried 1.36-default-draconform 1.37-alpha-draconform --labels '!smoke'`,
		Args: someArgs("folders of runs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			selected, err := selection.Select(all)
			if err != nil {
				return usageError(err)
			}
			if selection.String() == "" {
				selected = slices.DeleteFunc(selected, onlyLegacy)
			}
			reports, err := readRuns(args)
			if err != nil {
				return usageError(err)
			}
			found := untriedSpecs{Runs: len(reports), Specs: len(selected), Untried: untried.Find(selected, reports)}
			if err := found.print(cmd, output); err != nil {
				return err
			}
			if len(found.Untried) > 0 {
				return errUntried
			}
			return nil
		},
		ValidArgsFunction: completeDirs,
	}
	addSelection(cmd, &selection, all)
	addOutput(cmd, &output)
	return cmd
}

// onlyLegacy reports whether only legacy releases have what a spec or a journey needs.
func onlyLegacy(s suite.Spec) bool {
	if s.Journey != nil && clusters.IsLegacy(s.Journey.InitialCluster.Release) {
		return true
	}
	return slices.ContainsFunc(s.Features, features.Feature.OnlyLegacy)
}

// readRuns reads the reports of all runs in folders. It is an error if a folder has
// none.
func readRuns(dirs []string) ([]report.Report, error) {
	var reports []report.Report
	for _, dir := range dirs {
		paths, err := untried.Reports(dir)
		if err != nil {
			return nil, fmt.Errorf("find the reports of runs: %w", err)
		}
		if len(paths) == 0 {
			return nil, fmt.Errorf("there is no %s in %s", report.File, dir)
		}
		for _, path := range paths {
			r, err := report.Read(path)
			if err != nil {
				return nil, err
			}
			reports = append(reports, r)
		}
	}
	return reports, nil
}

func (u untriedSpecs) print(cmd *cobra.Command, output string) error {
	if u.Untried == nil {
		u.Untried = []untried.Spec{}
	}
	if done, err := printStructured(cmd, output, u); done {
		return err
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	if len(u.Untried) > 0 {
		fmt.Fprintln(w, "SPEC\tPROFILE\tRUNS\tREASON")
	}
	for _, s := range u.Untried {
		if len(s.Reasons) == 0 {
			fmt.Fprintf(w, "%s\t%s\t0\tin no run\n", s.ID, s.Profile)
		}
		for _, r := range s.Reasons {
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\n", s.ID, s.Profile, r.Runs, r.Text)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s, %s, %d not tried\n", counted(u.Runs, "run"), counted(u.Specs, "spec"), len(u.Untried))
	return err
}
