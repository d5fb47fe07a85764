// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// dryRunResult is the JSON and YAML output for a spec of a dry run.
type dryRunResult struct {
	ID        string        `json:"id"`
	Profile   string        `json:"profile"`
	Level     string        `json:"level"`
	Component env.Component `json:"judges"`
	// Outcome is "runs", or the outcome that is known in advance.
	Outcome string `json:"outlook"`
	Reason  string `json:"reason,omitempty"`
}

// runs is the outcome of a spec that can run.
const runs = "runs"

// dryRun prints what a run would do.
func dryRun(cmd *cobra.Command, c run.Config, output string) error {
	results, err := run.DryRun(cmd.Context(), c, specs.All())
	if errors.Is(err, run.ErrConfig) {
		return usageError(err)
	}
	if err != nil {
		return errors.Join(err, printSelected(cmd, c, output))
	}
	all := make([]dryRunResult, 0, len(results))
	for _, r := range results {
		o := dryRunResult{r.Spec.ID, r.Spec.Profile, r.Spec.Level.String(), r.Spec.Component, runs, r.Reason}
		if r.Outcome != "" {
			o.Outcome = string(r.Outcome)
		}
		all = append(all, o)
	}
	if done, err := printStructured(cmd, output, all); done {
		return err
	}
	return printDryRun(cmd, all)
}

// printSelected prints the selected specs if the cluster cannot be inspected.
// It prints nothing in the formats for programs, which expect another type of
// list.
func printSelected(cmd *cobra.Command, c run.Config, output string) error {
	if output != "table" {
		return nil
	}
	selected, err := c.Selection.Select(specs.All())
	if err != nil {
		return err
	}
	return printSpecs(cmd, selected, output)
}

func printDryRun(cmd *cobra.Command, all []dryRunResult) error {
	counts := map[string]int{}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SPEC\tPROFILE\tLEVEL\tCOMPONENT\tOUTCOME\tREASON")
	for _, o := range all {
		counts[o.Outcome]++
		fmt.Fprintln(w, strings.TrimRight(strings.Join([]string{o.ID, o.Profile, o.Level, string(o.Component), o.Outcome, o.Reason}, "\t"), "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	printCore(cmd, all)
	parts := []string{fmt.Sprintf("%d of %d specs would run", counts[runs], len(all))}
	for _, outcome := range []suite.Outcome{suite.NotSupported, suite.NotApplicable} {
		if n := counts[string(outcome)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	fmt.Fprintln(cmd.OutOrStdout(), strings.Join(parts, ", "))
	return nil
}

// printCore prints, for each profile, how many of its selected core specs would
// run. Without all of them, the profile cannot be conformant.
func printCore(cmd *cobra.Command, all []dryRunResult) {
	var profiles []string
	core, run := map[string]int{}, map[string]int{}
	for _, o := range all {
		if o.Level != suite.Core.String() {
			continue
		}
		if core[o.Profile] == 0 {
			profiles = append(profiles, o.Profile)
		}
		core[o.Profile]++
		if o.Outcome == runs {
			run[o.Profile]++
		}
	}
	for _, profile := range profiles {
		fmt.Fprintf(cmd.OutOrStdout(), "profile %s: %d of %d core specs would run\n", profile, run[profile], core[profile])
	}
}
