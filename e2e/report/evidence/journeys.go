// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// journeyView is a journey with its steps.
type journeyView struct {
	ID      string
	Outcome string
	Start   journey.InitialCluster
	Steps   []stepView
}

// stepView is a step of a journey. Its badge shows the outcome.
type stepView struct {
	report.JourneyStep
	// State describes the running components at its end, in one line.
	State string
}

// skewMatrix counts, for each component and each release that journeys changed
// it to or tried to, how many steps held with it.
type skewMatrix struct {
	Releases []string
	Rows     []skewRow
}

type skewRow struct {
	Component skew.Component
	Cells     []skewCell
}

type skewCell struct{ Held, Broke int }

// Outcome returns the outcome of a cell for its colour. It is empty if the cell
// has no step.
func (c skewCell) Outcome() string {
	switch {
	case c.Broke > 0:
		return string(suite.Failed)
	case c.Held > 0:
		return string(suite.Passed)
	}
	return ""
}

// Text returns how many steps held and how many did not.
func (c skewCell) Text() string {
	switch {
	case c.Broke > 0:
		return fmt.Sprintf("%d held, %d broke", c.Held, c.Broke)
	case c.Held > 0:
		return fmt.Sprintf("%d held", c.Held)
	}
	return "–"
}

// journeys returns the journeys of a report that began.
func journeys(r report.Report) []journeyView {
	var all []journeyView
	for _, s := range r.Specs {
		if s.Journey == nil || len(s.Journey.Steps) == 0 {
			continue
		}
		v := journeyView{ID: s.ID, Outcome: outcome(s), Start: s.Journey.Start}
		for _, step := range s.Journey.Steps {
			v.Steps = append(v.Steps, stepView{step, describeInstances(step.Instances)})
		}
		all = append(all, v)
	}
	return all
}

// describeInstances describes the components of a cluster in one line.
// Components of the same release are grouped.
func describeInstances(all []report.Instances) string {
	var order []string
	by := map[string][]string{}
	scheduler := ""
	for _, r := range all {
		release := r.Release
		if r.Gates != "default" {
			release += " (gates " + r.Gates + ")"
		}
		name := string(r.Component)
		if r.Scheduler == skew.DraconformScheduler {
			scheduler = ", with the bundled scheduler"
		}
		if r.Stopped {
			name += " (stopped)"
		}
		if by[release] == nil {
			order = append(order, release)
		}
		by[release] = append(by[release], name)
	}
	if len(order) == 1 {
		return "all " + order[0] + scheduler
	}
	var parts []string
	for _, release := range order {
		parts = append(parts, strings.Join(by[release], ", ")+" "+release)
	}
	return strings.Join(parts, "; ") + scheduler
}

// newSkewMatrix returns nil if no step of any journey reports the components of
// the cluster.
func newSkewMatrix(all []journeyView) *skewMatrix {
	cells := map[skew.Component]map[string]skewCell{}
	var releases []string
	for _, j := range all {
		for _, step := range j.Steps {
			for _, r := range affected(step.JourneyStep) {
				if cells[r.Component] == nil {
					cells[r.Component] = map[string]skewCell{}
				}
				c := cells[r.Component][r.Release]
				if step.Outcome == journey.Held {
					c.Held++
				} else { // Steps that were not reached report no components.
					c.Broke++
				}
				cells[r.Component][r.Release] = c
				releases = append(releases, r.Release)
			}
		}
	}
	if len(releases) == 0 {
		return nil
	}
	slices.SortFunc(releases, func(a, b string) int { return semver.Compare("v"+a, "v"+b) })
	m := &skewMatrix{Releases: slices.Compact(releases)}
	for _, component := range skew.Components() {
		row := skewRow{Component: component}
		for _, release := range m.Releases {
			row.Cells = append(row.Cells, cells[component][release])
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

// affected returns the instances that the outcome of a step applies to. If a
// component was reverted after a failed change to another release, that is the
// attempted release.
func affected(step report.JourneyStep) []report.Instances {
	unchanged := slices.DeleteFunc(slices.Clone(step.Instances), func(r report.Instances) bool {
		return slices.ContainsFunc(step.Attempted, func(t report.Instances) bool { return t.Component == r.Component && t.Release != r.Release })
	})
	return append(unchanged, step.Attempted...)
}

// markdownJourneys writes the steps of each journey as a list, then the matrix.
func (e Evidence) markdownJourneys(b *bytes.Buffer) {
	all := journeys(e.Report)
	if len(all) == 0 {
		return
	}
	b.WriteString("\n## Journeys\n")
	for _, j := range all {
		fmt.Fprintf(b, "\n### %s: %s\n\nFrom %s.\n\n", cell(j.ID), cell(j.Outcome), cell(j.Start.String()))
		for i, step := range j.Steps {
			fmt.Fprintf(b, "%d. %s: **%s**", i+1, cell(step.Text), cell(string(step.Outcome)))
			if step.State != "" {
				fmt.Fprintf(b, ", %s", cell(step.State))
			}
			b.WriteByte('\n')
		}
	}
	m := newSkewMatrix(all)
	if m == nil {
		return
	}
	fmt.Fprintf(b, "\n| component | %s |\n|---|%s\n", strings.Join(m.Releases, " | "), strings.Repeat("---|", len(m.Releases)))
	for _, row := range m.Rows {
		fmt.Fprintf(b, "| %s |", cell(string(row.Component)))
		for _, c := range row.Cells {
			fmt.Fprintf(b, " %s |", cell(c.Text()))
		}
		b.WriteByte('\n')
	}
}
