// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package table compares published reports by Kubernetes release, and renders
// the comparison as Markdown and as a page.
package table

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/published"
)

// Table is a comparison of published reports. Equal reports yield equal tables,
// in whichever order they are read.
type Table struct {
	// Releases are the releases of Kubernetes, the newest first.
	Releases []Release `json:"releases"`
}

// Release has the reports of a release of Kubernetes.
type Release struct {
	// Release is the minor release, such as v1.37.
	Release string `json:"release"`
	// Complete are the reports that cover all specs.
	Complete Group `json:"complete"`
	// Partial are the others.
	Partial Group `json:"partial"`
}

// Group is a group of reports that are compared with each other.
type Group struct {
	// Profiles are the profiles of any report, sorted.
	Profiles []string `json:"profiles,omitempty"`
	// Reports are sorted by organization, project, mode and version.
	Reports []Row `json:"reports,omitempty"`
}

// New compares the published reports in a directory.
func New(dir string, reports []published.Report) (Table, error) {
	groups := map[string]*Release{}
	for _, r := range reports {
		row, err := newRow(dir, r)
		if err != nil {
			return Table{}, err
		}
		if groups[r.Release] == nil {
			groups[r.Release] = &Release{Release: r.Release}
		}
		group := &groups[r.Release].Complete
		if r.Partial {
			group = &groups[r.Release].Partial
		}
		group.add(row, r.Report)
	}
	t := Table{Releases: []Release{}}
	for _, release := range groups {
		release.Complete.sort()
		release.Partial.sort()
		t.Releases = append(t.Releases, *release)
	}
	slices.SortFunc(t.Releases, func(a, b Release) int { return semver.Compare(b.Release, a.Release) })
	return t, nil
}

// add adds a row, and the profiles of its report.
func (g *Group) add(row Row, r report.Report) {
	g.Reports = append(g.Reports, row)
	for _, p := range r.Verdict.Profiles {
		g.Profiles = append(g.Profiles, p.Name)
	}
}

// sort sorts the profiles and rows, and gives each row a cell per profile.
func (g *Group) sort() {
	slices.Sort(g.Profiles)
	g.Profiles = slices.Compact(g.Profiles)
	slices.SortFunc(g.Reports, func(a, b Row) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Organization), strings.ToLower(b.Organization)),
			strings.Compare(strings.ToLower(a.Project), strings.ToLower(b.Project)),
			strings.Compare(a.Mode, b.Mode), strings.Compare(a.Version, b.Version), strings.Compare(a.Report, b.Report))
	})
	for i := range g.Reports {
		own := g.Reports[i].Cells
		g.Reports[i].Cells = make([]Cell, len(g.Profiles))
		for j, profile := range g.Profiles {
			g.Reports[i].Cells[j] = Cell{Profile: profile}
			if k := slices.IndexFunc(own, func(c Cell) bool { return c.Profile == profile }); k >= 0 {
				g.Reports[i].Cells[j] = own[k]
			}
		}
	}
}

// groups returns the groups that have reports.
func (r Release) groups() []titled {
	all := []titled{
		{Group: r.Complete, ID: r.Release, Title: "Kubernetes " + r.Release},
		{Group: r.Partial, ID: r.Release + "-partial", Title: "Kubernetes " + r.Release + ", partial reports", Partial: true},
	}
	return slices.DeleteFunc(all, func(t titled) bool { return len(t.Reports) == 0 })
}

// titled is a group with the title of its table.
type titled struct {
	Group
	ID, Title string
	Partial   bool
}

// sections returns the groups of all releases.
func (t Table) sections() []titled {
	var all []titled
	for _, r := range t.Releases {
		all = append(all, r.groups()...)
	}
	return all
}

// about returns what the tables show, or that there are none.
func (t Table) about() string {
	if len(t.sections()) == 0 {
		return empty
	}
	return legend
}

// texts about all tables.
const (
	title  = "DRA drivers by conformance"
	legend = "Each cell has the result of a profile, the number of passed specs of those that could run in the cluster, and the features that specs of the profile proved."
	empty  = "There are no reports."
	apart  = "These runs did not cover all specs. They are not comparable with complete ones."
)
