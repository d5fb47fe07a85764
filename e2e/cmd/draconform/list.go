// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

func newList() *cobra.Command {
	var selection suite.Selection
	var release, output string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the specs",
		Long: `List the specs in the order in which they run.

A spec matches a flag if it matches one of its values. It is listed if it matches
all flags. Labels are profiles, features, components and levels, such as level:core.
Core specs must pass for a profile to be conformant. Extended specs must not fail.
Provisional specs have no effect. "draconform skew --dry-run" lists the journeys.`,
		Example: `  draconform list --profile partitioning,driver
  draconform list --labels level:core
  draconform list --requirement 4816 -o wide
  draconform list --labels 'scheduler && !prioritized-list' --release 1.35 -o json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			selected, err := selectSpecs(selection, release)
			if err != nil {
				return usageError(err)
			}
			return printSpecs(cmd, selected, output)
		},
	}
	addSelection(cmd, &selection, specs.All())
	cmd.Flags().StringVar(&release, "release", "", "only specs that apply to this Kubernetes release")
	_ = cmd.RegisterFlagCompletionFunc("release", cobra.FixedCompletions(releaseNames(), cobra.ShellCompDirectiveNoFileComp))
	addOutput(cmd, &output, "wide")
	return cmd
}

// selectSpecs returns the selected specs that apply to a release. An empty
// release does not filter.
func selectSpecs(selection suite.Selection, release string) ([]suite.Spec, error) {
	selected, err := selection.Select(specs.All())
	if err != nil || release == "" {
		return selected, err
	}
	found, err := clusters.FindRelease(release)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(selected, func(s suite.Spec) bool { return !s.RunsOn(found.Minor) }), nil
}

// listedSpec is a spec as JSON and YAML.
type listedSpec struct {
	ID          string `json:"id"`
	Description string `json:"sentence"`
	Profile     string `json:"profile"`
	// Level is core, extended or provisional.
	Level     string             `json:"level"`
	Component env.Component      `json:"judges"`
	Features  []features.Feature `json:"features"`
	// Without are features that must be absent.
	Without []features.Feature `json:"without,omitempty"`
	Nodes   int                `json:"nodes"`
	// Kinds are the kinds of devices that it uses.
	Kinds []subject.Kind `json:"kinds,omitempty"`
	// Needs are what the spec needs in addition to the API, such as restarts of
	// nodes.
	Needs []env.Need `json:"needs,omitempty"`
	// Since is the first release of Kubernetes that the spec applies to. It is
	// empty if the spec applies to every release with the features.
	Since  string   `json:"since,omitempty"`
	Labels []string `json:"labels"`
	// Requirements are the ids of the requirements that it proves.
	Requirements []string `json:"requirements,omitempty"`
}

func printSpecs(cmd *cobra.Command, selected []suite.Spec, output string) error {
	listed := make([]listedSpec, 0, len(selected))
	for _, s := range selected {
		listed = append(listed, listedSpec{s.ID, s.Description, s.Profile, s.Level.String(), s.Component, s.Features, s.AbsentFeatures, s.MinNodes, s.Kinds, s.Needs, s.Since, s.Labels(), s.Requirements})
	}
	if done, err := printStructured(cmd, output, listed); done {
		return err
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	wide := output == "wide"
	fmt.Fprintln(w, row(wide, "SPEC", "PROFILE", "LEVEL", "COMPONENT", "NODES", "FEATURES", "SINCE", "NEEDS", "REQUIREMENTS", "DESCRIPTION"))
	for _, s := range listed {
		fmt.Fprintln(w, row(wide, s.ID, s.Profile, s.Level, string(s.Component), strconv.Itoa(s.Nodes), joined(s.needed()),
			cmp.Or(s.Since, none), joined(s.Needs), joined(s.Requirements), s.Description))
	}
	return w.Flush()
}

// needed returns the features. Features that must be absent have the prefix
// "!", as in label filters.
func (s listedSpec) needed() []string {
	var names []string
	for _, f := range s.Features {
		names = append(names, string(f))
	}
	for _, f := range s.Without {
		names = append(names, "!"+string(f))
	}
	return names
}

// none marks an empty cell, so that programs can separate columns.
const none = "-"

// row omits the columns between the sixth and the last unless the table is
// wide.
func row(wide bool, cells ...string) string {
	if !wide {
		cells = slices.Delete(cells, 6, len(cells)-1)
	}
	return strings.Join(cells, "\t")
}

// joined joins names for one cell.
func joined[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return cmp.Or(strings.Join(texts, ","), none)
}
