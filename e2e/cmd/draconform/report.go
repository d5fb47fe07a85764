// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
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

With two runs, show the differences as text: outcomes, new and removed specs, large
differences in time, and the clusters.

"verify" checks reports before they are published, and "table" compares the published
reports of different drivers.

Exit status: 0 if the report was shown, regardless of its verdict, and if no spec
that passed in the first run fails in the second; 1 if one does; 2 if flags,
arguments or files are invalid.`,
		Example: `  draconform report _artifacts/20260301-120000-0a1f
  draconform report _artifacts/20260301-120000-0a1f -o html > _artifacts/20260301-120000-0a1f/report.html
  draconform report _artifacts/20260301-120000-0a1f -o summary >> "$GITHUB_STEP_SUMMARY"
  draconform report _artifacts/20260301-120000-0a1f _artifacts/20260302-120000-1b2e`,
		Args: runArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 {
				return compareRuns(cmd.OutOrStdout(), args[0], args[1], output)
			}
			return showRun(cmd, args[0], output)
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
	cmd.AddCommand(newReportVerify(), newReportTable())
	return cmd
}

// runArgs accepts the directories of one or two runs.
func runArgs(cmd *cobra.Command, args []string) error {
	if len(args) != 1 && len(args) != 2 {
		return usageError(fmt.Errorf("%q takes the folder of a run, or the folders of two runs, see \"%s --help\"", cmd.CommandPath(), cmd.CommandPath()))
	}
	return nil
}

func showRun(cmd *cobra.Command, path, output string) error {
	r, err := report.Read(path)
	if err != nil {
		return usageError(err)
	}
	dir := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		dir = filepath.Dir(path)
	}
	e := evidence.Evidence{Report: r, Files: os.DirFS(dir), Requirements: evidence.RequirementOutcomes(r)}
	switch output {
	case "html":
		return e.HTML(cmd.Context(), cmd.OutOrStdout())
	case "markdown":
		return e.Markdown(cmd.OutOrStdout())
	case "summary":
		return writeSummary(cmd.OutOrStdout(), r)
	}
	return e.Text(cmd.OutOrStdout())
}

func compareRuns(w io.Writer, before, now, output string) error {
	if output != "text" {
		return usageError(fmt.Errorf("two runs are compared as text, not as %s", output))
	}
	first, err := report.Read(before)
	if err != nil {
		return usageError(err)
	}
	second, err := report.Read(now)
	if err != nil {
		return usageError(err)
	}
	c := compare.Runs(first, second)
	if err := c.Text(w); err != nil {
		return err
	}
	if len(c.Regressions()) > 0 {
		return errRegression
	}
	return nil
}
