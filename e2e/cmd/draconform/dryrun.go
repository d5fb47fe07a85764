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

// outlook is the JSON and YAML output for a spec of a dry run.
type outlook struct {
	ID      string        `json:"id"`
	Profile string        `json:"profile"`
	Judges  env.Component `json:"judges"`
	// Outlook is "runs", or the outcome that is already certain.
	Outlook string `json:"outlook"`
	Reason  string `json:"reason,omitempty"`
}

// runs is the outlook of a spec that can run.
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
	all := make([]outlook, 0, len(results))
	for _, r := range results {
		o := outlook{r.Spec.ID, r.Spec.Profile, r.Spec.Component, runs, r.Reason}
		if r.Outcome != "" {
			o.Outlook = string(r.Outcome)
		}
		all = append(all, o)
	}
	switch output {
	case "json":
		return printJSON(cmd, all)
	case "yaml":
		return printYAML(cmd, all)
	}
	return printOutlooks(cmd, all)
}

// printSelected prints the selected specs if the cluster cannot be inspected.
// It prints nothing in the formats for programs, which expect another type of
// list.
func printSelected(cmd *cobra.Command, c run.Config, output string) error {
	if output != "table" {
		return nil
	}
	chosen, err := c.Selection.Select(specs.All())
	if err != nil {
		return err
	}
	return printSpecs(cmd, chosen, output)
}

func printOutlooks(cmd *cobra.Command, all []outlook) error {
	counts := map[string]int{}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SPEC\tPROFILE\tJUDGES\tOUTLOOK\tREASON")
	for _, o := range all {
		counts[o.Outlook]++
		fmt.Fprintln(w, strings.TrimRight(strings.Join([]string{o.ID, o.Profile, string(o.Judges), o.Outlook, o.Reason}, "\t"), "\t"))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	parts := []string{fmt.Sprintf("%d of %d specs would run", counts[runs], len(all))}
	for _, outcome := range []suite.Outcome{suite.NotSupported, suite.NotApplicable} {
		if n := counts[string(outcome)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	fmt.Fprintln(cmd.OutOrStdout(), strings.Join(parts, ", "))
	return nil
}
