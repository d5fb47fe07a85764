// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/report/published"
	"github.com/draconform/draconform/e2e/report/table"
)

func newReportTable() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "table DIR",
		Short: "Compare all published reports",
		Long: `Compare all published reports by Kubernetes release, as Markdown or as a page. Rows
are implementations, columns are profiles. Reports of partial runs have their own
tables. Links to reports are relative to DIR, so that the output belongs there.

All reports must be valid, see "draconform report verify --help".

Exit status: 0 if the table was printed; 1 if reports have problems; 2 if flags or
arguments are invalid.`,
		Example: `  draconform report table reports > reports/README.md
  draconform report table reports -o html > reports/index.html`,
		Args: oneArg("the folder of published reports"),
		RunE: func(cmd *cobra.Command, args []string) error {
			reports, problems, err := published.Read(args[0])
			if err != nil {
				return usageError(err)
			}
			if len(problems) > 0 {
				return fmt.Errorf("%s has %s, such as: %s: %s; \"draconform report verify\" shows all",
					args[0], counted(len(problems), "problem"), problems[0].File, problems[0].Found)
			}
			compared, err := table.New(args[0], reports)
			if err != nil {
				return err
			}
			return printTable(cmd, compared, output)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	addFormats(cmd, &output, "markdown", "html", "json", "yaml")
	return cmd
}

func printTable(cmd *cobra.Command, t table.Table, output string) error {
	if done, err := printStructured(cmd, output, t); done {
		return err
	}
	if output == "html" {
		return t.HTML(cmd.OutOrStdout())
	}
	return t.Markdown(cmd.OutOrStdout())
}
