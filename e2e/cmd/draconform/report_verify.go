// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/report/published"
)

// errNotPublishable states that published reports have problems. The output
// already reports them.
var errNotPublishable = fmt.Errorf("published reports have problems: %w", errReported)

// verifiedReports is the JSON output of a verification.
type verifiedReports struct {
	// Reports are the paths of the reports that were decoded.
	Reports  []string            `json:"reports"`
	Problems []published.Problem `json:"problems"`
}

func newReportVerify() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "verify DIR...",
		Short: "Verify reports before they are published",
		Long: `Verify reports before they are published, and the folder in which they are:

    reports/<release>/<organization>-<project>/README.md
    reports/<release>/<organization>-<project>/<mode>-<version>-report.yaml
    reports/<release>/<organization>-<project>/partial/<mode>-<version>-report.yaml

DIR is the folder reports, or any of the folders of a release or an implementation.
Reports must be unmodified, complete unless they are in "partial", about a released
version of the driver, and in the folder of their Kubernetes release and
implementation, and the README must have the commands that reproduce them.
docs/publishing.md explains all rules.

Exit status: 0 if there are no problems; 1 if there are; 2 if flags or arguments are
invalid.`,
		Example: `  draconform report verify reports
  draconform report verify reports/v1.37/example-gpu-driver -o json`,
		Args: someArgs("folders of published reports"),
		RunE: func(cmd *cobra.Command, args []string) error {
			verified, err := verifyReports(args)
			if err != nil {
				return usageError(err)
			}
			if err := verified.print(cmd, output); err != nil {
				return err
			}
			if len(verified.Problems) > 0 {
				return errNotPublishable
			}
			return nil
		},
		ValidArgsFunction: completeDirs,
	}
	addFormat(cmd, &output)
	return cmd
}

func completeDirs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func verifyReports(dirs []string) (verifiedReports, error) {
	verified := verifiedReports{Reports: []string{}, Problems: []published.Problem{}}
	for _, dir := range dirs {
		reports, problems, err := published.Read(dir)
		if err != nil {
			return verifiedReports{}, err
		}
		for _, r := range reports {
			verified.Reports = append(verified.Reports, r.Path)
		}
		verified.Problems = append(verified.Problems, problems...)
	}
	return verified, nil
}

func (v verifiedReports) print(cmd *cobra.Command, output string) error {
	if done, err := printStructured(cmd, output, v); done {
		return err
	}
	for _, p := range v.Problems {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n  %s\n", p.File, p.Found, p.Fix)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s, %s\n", counted(len(v.Reports), "report"), counted(len(v.Problems), "problem"))
	return nil
}

// counted returns a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
