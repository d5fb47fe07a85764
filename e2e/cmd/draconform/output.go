// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// addFormats adds the flag for the output format, whose default is the first of
// the known ones. Another format is a usage error.
func addFormats(cmd *cobra.Command, output *string, known ...string) {
	cmd.Flags().StringVarP(output, "output", "o", known[0], "format: "+strings.Join(known, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if slices.Contains(known, *output) {
			return nil
		}
		return usageError(fmt.Errorf("output format %q is not known, use %s", *output, strings.Join(known, ", ")))
	}
}

// addFormat adds the flag for text, JSON or YAML.
func addFormat(cmd *cobra.Command, output *string) { addFormats(cmd, output, "text", "json", "yaml") }

// addOutput adds the flag for a table, JSON, YAML or more formats.
func addOutput(cmd *cobra.Command, output *string, more ...string) {
	addFormats(cmd, output, append([]string{"table", "json", "yaml"}, more...)...)
}

// printStructured prints a value if the format is JSON or YAML, and reports whether it is.
func printStructured(cmd *cobra.Command, output string, value any) (bool, error) {
	switch output {
	case "json":
		return true, printJSON(cmd, value)
	case "yaml":
		return true, printYAML(cmd, value)
	}
	return false, nil
}
