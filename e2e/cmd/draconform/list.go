package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/suite"
)

func newList() *cobra.Command {
	var selection suite.Selection
	var output string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the specs",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return printSpecs(cmd, selection, output) },
	}
	addSelection(cmd, &selection)
	addOutput(cmd, &output)
	return cmd
}

// addOutput adds the flag for the output format.
func addOutput(cmd *cobra.Command, output *string, more ...string) {
	known := append([]string{"table", "json"}, more...)
	cmd.Flags().StringVarP(output, "output", "o", "table", "format: "+strings.Join(known, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if slices.Contains(known, *output) {
			return nil
		}
		return usageError(fmt.Errorf("output format %q is not known, use %s", *output, strings.Join(known, ", ")))
	}
}

// listedSpec is a spec as JSON.
type listedSpec struct {
	ID       string             `json:"id"`
	Sentence string             `json:"sentence"`
	Profile  string             `json:"profile"`
	Judges   suite.Judged       `json:"judges"`
	Features []features.Feature `json:"features"`
	Nodes    int                `json:"nodes"`
	Labels   []string           `json:"labels"`
	// Requirements are the ids of those that it proves.
	Requirements []string `json:"requirements,omitempty"`
}

func printSpecs(cmd *cobra.Command, selection suite.Selection, output string) error {
	chosen, err := selection.Choose(specs.All())
	if err != nil {
		return usageError(err)
	}
	if output == "json" {
		var listed []listedSpec
		for _, s := range chosen {
			listed = append(listed, listedSpec{s.ID, s.Sentence, s.Profile, s.Judges, s.Features, s.Nodes, s.Labels(), s.Requirements})
		}
		return printJSON(cmd, listed)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SPEC\tPROFILE\tJUDGES\tNODES\tFEATURES\tPROMISE")
	for _, s := range chosen {
		var needs []string
		for _, f := range s.Features {
			needs = append(needs, string(f))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\n", s.ID, s.Profile, s.Judges, s.Nodes, strings.Join(needs, ","), s.Sentence)
	}
	return w.Flush()
}

func printJSON(cmd *cobra.Command, value any) error {
	encoder := json.NewEncoder(cmd.OutOrStdout())
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
