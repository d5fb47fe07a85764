// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/evidence"
)

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
report of the second run. As JSON or YAML, they have the ids of the specs.

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
		ValidArgsFunction: func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 1 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			// Shells complete other paths themselves.
			return runFolders(typed), cobra.ShellCompDirectiveKeepOrder
		},
	}
	addFormats(cmd, &output, "text", "markdown", "html", "summary", "json", "yaml")
	cmd.AddCommand(newReportServe(), newReportVerify(), newReportTable(), newReportUntried())
	return cmd
}

// runFolders returns the folders of runs with a report, the newest first, in the folder
// that is typed, or else in the default one.
func runFolders(typed string) []cobra.Completion {
	dir := cmp.Or(typed[:strings.LastIndexByte(typed, filepath.Separator)+1], artifactsFolder+string(filepath.Separator))
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var folders []cobra.Completion
	for _, entry := range slices.Backward(entries) { // They are sorted by name, which begins with the time.
		if _, err := os.Stat(filepath.Join(dir, entry.Name(), report.File)); err == nil {
			folders = append(folders, dir+entry.Name())
		}
	}
	return folders
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
	if done, err := printStructured(cmd, output, e.Report); done {
		return err
	}
	return e.Text(cmd.OutOrStdout())
}
