package evidence

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// journeyView is a journey with its stops.
type journeyView struct {
	ID      string
	Outcome suite.Outcome
	Start   journey.InitialCluster
	Stops   []stopView
}

// stopView is a stop of a journey. Its badge shows the outcome.
type stopView struct {
	report.Stop
	// Ran is what the cluster ran at its end, in one line.
	Ran string
}

// skewMatrix counts, for each component and each release that journeys changed
// it to or tried to, how many stops held with it.
type skewMatrix struct {
	Releases []string
	Rows     []skewRow
}

type skewRow struct {
	Component change.Component
	Cells     []skewCell
}

type skewCell struct{ Held, Broke int }

// Outcome returns the outcome of a cell for its colour. It is empty if the cell
// has no stop.
func (c skewCell) Outcome() string {
	switch {
	case c.Broke > 0:
		return string(suite.Failed)
	case c.Held > 0:
		return string(suite.Passed)
	}
	return ""
}

// Text returns how many stops held and how many did not.
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
		if s.Journey == nil || len(s.Journey.Stops) == 0 {
			continue
		}
		v := journeyView{ID: s.ID, Outcome: s.Outcome, Start: s.Journey.Start}
		for _, stop := range s.Journey.Stops {
			v.Stops = append(v.Stops, stopView{stop, ran(stop.Runs)})
		}
		all = append(all, v)
	}
	return all
}

// ran returns what a cluster runs in one line. Components of the same release
// are grouped.
func ran(runs []report.Runs) string {
	var order []string
	by := map[string][]string{}
	scheduler := ""
	for _, r := range runs {
		what := r.Release
		if r.Gates != "default" {
			what += " (gates " + r.Gates + ")"
		}
		name := string(r.Component)
		if r.Scheduler == kind.DraconformScheduler {
			scheduler = ", with the bundled scheduler"
		}
		if r.Stopped {
			name += " (stopped)"
		}
		if by[what] == nil {
			order = append(order, what)
		}
		by[what] = append(by[what], name)
	}
	if len(order) == 1 {
		return "all " + order[0] + scheduler
	}
	var parts []string
	for _, what := range order {
		parts = append(parts, strings.Join(by[what], ", ")+" "+what)
	}
	return strings.Join(parts, "; ") + scheduler
}

// newSkewMatrix returns nil if no stop of any journey reports what the cluster
// ran.
func newSkewMatrix(all []journeyView) *skewMatrix {
	cells := map[change.Component]map[string]skewCell{}
	var releases []string
	for _, j := range all {
		for _, stop := range j.Stops {
			for _, r := range blamed(stop.Stop) {
				if cells[r.Component] == nil {
					cells[r.Component] = map[string]skewCell{}
				}
				c := cells[r.Component][r.Release]
				if stop.Outcome == journey.Held {
					c.Held++
				} else { // Stops that were not reached report no components.
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
	for _, component := range change.Components() {
		row := skewRow{Component: component}
		for _, release := range m.Releases {
			row.Cells = append(row.Cells, cells[component][release])
		}
		m.Rows = append(m.Rows, row)
	}
	return m
}

// blamed returns the instances that the outcome of a stop applies to. If a
// component was tried in another release and reverted, that is the release that
// was tried.
func blamed(stop report.Stop) []report.Runs {
	left := slices.DeleteFunc(slices.Clone(stop.Runs), func(r report.Runs) bool {
		return slices.ContainsFunc(stop.Tried, func(t report.Runs) bool { return t.Component == r.Component && t.Release != r.Release })
	})
	return append(left, stop.Tried...)
}

// markdownJourneys writes the stops of each journey as a list, then the matrix.
func (e Evidence) markdownJourneys(b *bytes.Buffer) {
	all := journeys(e.Report)
	if len(all) == 0 {
		return
	}
	b.WriteString("\n## Journeys\n")
	for _, j := range all {
		fmt.Fprintf(b, "\n### %s: %s\n\nFrom %s.\n\n", cell(j.ID), cell(outcome(j.Outcome)), cell(j.Start.String()))
		for i, stop := range j.Stops {
			fmt.Fprintf(b, "%d. %s: **%s**", i+1, cell(stop.Text), cell(string(stop.Outcome)))
			if stop.Ran != "" {
				fmt.Fprintf(b, ", %s", cell(stop.Ran))
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
