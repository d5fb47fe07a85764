// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
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

// addDryRun adds the flags for a dry run and its format, a table or a text unless it is
// JSON or YAML. Without a dry run, the format is a usage error.
func addDryRun(cmd *cobra.Command, dryRun *bool, output *string, plain, help string) {
	cmd.Flags().BoolVar(dryRun, "dry-run", false, help)
	addFormats(cmd, output, plain, "json", "yaml")
	f := cmd.Flags().Lookup("output")
	f.Usage = "format of a dry run: " + plain + ", json, yaml"
	known := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := known(cmd, args); err != nil {
			return err
		}
		if f.Changed && !*dryRun {
			return usageError(errors.New("--output is the format of a dry run, and needs --dry-run"))
		}
		return nil
	}
}

// printStructured prints a value if the format is JSON or YAML, and reports whether it is.
// A list without elements is a list, too.
func printStructured(cmd *cobra.Command, output string, value any) (bool, error) {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice && v.IsNil() {
		value = []any{}
	}
	switch output {
	case "json":
		return true, printJSON(cmd, value)
	case "yaml":
		return true, printYAML(cmd, value)
	}
	return false, nil
}

func printJSON(cmd *cobra.Command, value any) error {
	encoder := json.NewEncoder(cmd.OutOrStdout())
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

func printYAML(cmd *cobra.Command, value any) error {
	content, err := yaml.Marshal(value)
	if err != nil {
		return fmt.Errorf("print as YAML: %w", err)
	}
	_, err = cmd.OutOrStdout().Write(content)
	return err
}
