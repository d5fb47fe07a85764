// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// listedJourney is a journey as JSON and YAML.
type listedJourney struct {
	ID           string                 `json:"id"`
	Description  string                 `json:"sentence"`
	Start        journey.InitialCluster `json:"start"`
	Steps        []string               `json:"stops"`
	Requirements []string               `json:"requirements,omitempty"`
}

// journeys returns the journeys that flags can select. Without such flags, they do not
// include those of legacy releases, for which node images would be built that nothing else
// needs.
func (o runOptions) journeys() []suite.Spec {
	all := journeys.With(o.Scheduler)
	if o.Selection.String() != "" {
		return all
	}
	return slices.DeleteFunc(all, func(s suite.Spec) bool {
		return clusters.IsLegacy(s.Journey.InitialCluster.Release)
	})
}

// printJourneys prints the selected journeys with their steps.
func printJourneys(cmd *cobra.Command, o runOptions) error {
	selected, err := o.Selection.Select(o.journeys())
	if err != nil {
		return usageError(err)
	}
	listed := make([]listedJourney, 0, len(selected))
	for _, s := range selected {
		l := listedJourney{ID: s.ID, Description: s.Description, Start: s.Journey.InitialCluster, Requirements: s.Requirements}
		for _, step := range s.Journey.Steps() {
			l.Steps = append(l.Steps, step.Text)
		}
		listed = append(listed, l)
	}
	if done, err := printStructured(cmd, o.output, listed); done {
		return err
	}
	for _, l := range listed {
		fmt.Fprintf(cmd.OutOrStdout(), "%s\n  %s\n  from %s, %d workers\n", l.ID, l.Description, l.Start, l.Start.Workers)
		for i, step := range l.Steps {
			fmt.Fprintf(cmd.OutOrStdout(), "  %d. %s\n", i+1, step)
		}
	}
	return nil
}
