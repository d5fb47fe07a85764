// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/compare"
	"github.com/draconform/draconform/e2e/report/evidence"
)

// errRegression states that a spec passed before and fails now. The output
// already reports it.
var errRegression = fmt.Errorf("a spec that passed before fails now: %w", errReported)

func newReport() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "report DIR [DIR]",
		Short: "Show the report of a run, compare two runs, or publish reports",
		Long: `Show the report of a run, given its folder or its report.yaml. The HTML page is
self-contained, except for links to files in the folder of the run. The summary is
Markdown for the page of a CI job, with the failed specs first.

With two runs, show the differences: outcomes, new and removed specs, large
differences in time, and the clusters. As Markdown or HTML, they are a part of the
report of the second run.

"serve" shows a run in a browser while it takes place, "verify" checks reports before
they are published, "table" compares the published reports of different drivers, and
"untried" lists the specs that none of several runs has tried.

Exit status: 0 if the report was shown, regardless of its verdict, and if no spec
that passed in the first run fails in the second; 1 if one does; 2 if flags,
arguments or files are invalid.`,
		Example: `  draconform report _artifacts/20260301-120000-0a1f
  draconform report _artifacts/20260301-120000-0a1f -o html > _artifacts/20260301-120000-0a1f/report.html
  draconform report _artifacts/20260301-120000-0a1f -o summary >> "$GITHUB_STEP_SUMMARY"
  draconform report _artifacts/20260301-120000-0a1f _artifacts/20260302-120000-1b2e
  draconform report _artifacts/20260301-120000-0a1f _artifacts/20260302-120000-1b2e -o html > compared.html`,
		Args: runArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return compareRuns(cmd, args[0], args[1], output)
			}
			e, err := readRun(args[0])
			if err != nil {
				return err
			}
			return showRun(cmd, e, output)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			switch len(args) {
			case 0: // The subcommands are completed too, and shells would look for folders in the first of them.
				return nil, cobra.ShellCompDirectiveDefault
			case 1:
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	addFormats(cmd, &output, "text", "markdown", "html", "summary")
	cmd.AddCommand(newReportServe(), newReportVerify(), newReportTable(), newReportUntried())
	return cmd
}

// runArgs accepts the directories of one or two runs.
func runArgs(cmd *cobra.Command, args []string) error {
	if len(args) != 1 && len(args) != 2 {
		return usageError(fmt.Errorf("%q takes the folder of a run, or the folders of two runs, see \"%s --help\"", cmd.CommandPath(), cmd.CommandPath()))
	}
	return nil
}

// readRun reads the report of a run and finds the files next to it.
func readRun(path string) (evidence.Evidence, error) {
	r, err := report.Read(path)
	if err != nil {
		return evidence.Evidence{}, usageError(err)
	}
	dir := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		dir = filepath.Dir(path)
	}
	return evidence.Evidence{Report: r, Files: os.DirFS(dir), Requirements: evidence.RequirementOutcomes(r)}, nil
}

func showRun(cmd *cobra.Command, e evidence.Evidence, output string) error {
	switch output {
	case "html":
		return e.HTML(cmd.Context(), cmd.OutOrStdout())
	case "markdown":
		return e.Markdown(cmd.OutOrStdout())
	case "summary":
		return writeSummary(cmd.OutOrStdout(), e.Report)
	}
	return e.Text(cmd.OutOrStdout())
}

// compareRuns shows the differences between two runs. With the other formats,
// these are a part of the report of the second run.
func compareRuns(cmd *cobra.Command, before, now, output string) error {
	if output == "summary" {
		return usageError(errors.New("the summary is of one run, use another format to compare two"))
	}
	first, err := readRun(before)
	if err != nil {
		return err
	}
	second, err := readRun(now)
	if err != nil {
		return err
	}
	c := compare.Runs(first.Report, second.Report)
	second.Compared = &c
	if output == "text" {
		err = c.Text(cmd.OutOrStdout())
	} else {
		err = showRun(cmd, second, output)
	}
	if err != nil {
		return err
	}
	if len(c.Regressions()) > 0 {
		return errRegression
	}
	return nil
}
