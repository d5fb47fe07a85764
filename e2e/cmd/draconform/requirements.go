// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/e2e/requirements"
)

func newRequirements() *cobra.Command {
	var kep, release, output string
	cmd := &cobra.Command{
		Use:   "requirements",
		Short: "List the requirements of the KEPs and the specs that prove them",
		Long: `List every normative statement of the KEPs that draconform tests, with the specs
that prove it or the kind of reason why none does:

    pending       a spec could prove it, but does not exist yet
    unobservable  it cannot be observed from outside, or nothing can violate it
    release       no release implements it
    differs       the releases behave differently from the KEP
    restated      it is from a draft, and the released KEP states the same
    described     no release implements it, but descriptions of fake devices do

The reasons, the sources and the feature gates are in the JSON and the YAML.`,
		Example: `  draconform requirements --kep 4815
  draconform requirements --release 1.36 -o yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			selected, err := selectRequirements(kep, release)
			if err != nil {
				return usageError(err)
			}
			return printRequirements(cmd, selected, output)
		},
	}
	addOutput(cmd, &output)
	cmd.Flags().StringVar(&kep, "kep", "", "only those of one KEP: "+strings.Join(knownKEPs(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("kep", cobra.FixedCompletions(knownKEPs(), cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().StringVar(&release, "release", "", "only those that can be observed in this Kubernetes release")
	_ = cmd.RegisterFlagCompletionFunc("release", cobra.FixedCompletions(releaseNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func knownKEPs() []string {
	var keps []string
	for _, d := range requirements.Documents() {
		keps = append(keps, d.KEP)
	}
	return keps
}

// selectRequirements returns the requirements of a KEP that can be observed in
// a release. An empty value does not filter.
func selectRequirements(kep, release string) ([]requirements.Requirement, error) {
	if keps := knownKEPs(); kep != "" && !slices.Contains(keps, kep) {
		return nil, fmt.Errorf("KEP %q is not known, use %s", kep, strings.Join(keps, ", "))
	}
	var minor string
	if release != "" {
		found, err := clusters.FindRelease(release)
		if err != nil {
			return nil, err
		}
		minor = found.Minor
	}
	return slices.DeleteFunc(requirements.All(), func(r requirements.Requirement) bool {
		return kep != "" && r.KEP() != kep || minor != "" && !r.ObservableIn(minor)
	}), nil
}

func printRequirements(cmd *cobra.Command, selected []requirements.Requirement, output string) error {
	if done, err := printStructured(cmd, output, selected); done {
		return err
	}
	unproved := map[requirements.Kind]int{}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "REQUIREMENT\tLEVEL\tRELEASES\tPROOF\tSTATEMENT")
	for _, r := range selected {
		proof := proofOf(r)
		if r.Unproved != nil {
			proof = string(r.Unproved.Kind)
			unproved[r.Unproved.Kind]++
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.ID, r.Level, r.Releases(), proof, r.Statement)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), summarize(len(selected), unproved))
	return nil
}

// summarize returns the number of requirements and the number of unproved ones
// by kind of reason.
func summarize(all int, unproved map[requirements.Kind]int) string {
	proved := all
	var kinds []string
	for _, kind := range requirements.Kinds() {
		if n := unproved[kind]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, kind))
			proved -= n
		}
	}
	return strings.Join(append([]string{fmt.Sprintf("%d requirements: %d proved by specs", all, proved)}, kinds...), ", ")
}

// proofOf returns one of the specs and the number of others, which is short
// enough for a table.
func proofOf(r requirements.Requirement) string {
	switch len(r.Specs) {
	case 0:
		return ""
	case 1:
		return r.Specs[0]
	}
	return fmt.Sprintf("%s and %d more", r.Specs[0], len(r.Specs)-1)
}
