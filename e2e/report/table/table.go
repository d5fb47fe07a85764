// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package table compares published reports by Kubernetes release, and renders
// the comparison as Markdown and as a page.
package table

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/published"
	"github.com/draconform/draconform/e2e/suite"
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

// Row is a report.
type Row struct {
	Organization string `json:"organization"`
	Project      string `json:"project"`
	URL          string `json:"url"`
	Version      string `json:"version"`
	Mode         string `json:"mode"`
	// Drivers are the names of the implementation's drivers.
	Drivers []string `json:"drivers"`
	// Others are the other drivers of the run.
	Others []string `json:"others,omitempty"`
	// Report is the path of the report below the compared directory, with
	// slashes.
	Report string `json:"report"`
	// Kubernetes is the version of the API server.
	Kubernetes string `json:"kubernetes"`
	// Suite is the version of draconform.
	Suite   string        `json:"suite"`
	Verdict report.Result `json:"verdict"`
	// Declared are the features that were declared by the caller, regardless of
	// what was detected.
	Declared []features.Feature `json:"declared,omitempty"`
	// NotComplete states why a partial report does not cover all specs.
	NotComplete string `json:"notComplete,omitempty"`
	// Cells are the results in the profiles of the group, in the same order.
	Cells []Cell `json:"profiles"`
}

// Cell is the result of a report in a profile.
type Cell struct {
	Profile string `json:"profile"`
	// Result is empty if the report has no specs of the profile.
	Result report.Conformance `json:"result,omitempty"`
	// Passed is the number of passed specs, of the number of specs that could
	// run in the cluster.
	Passed int `json:"passed"`
	// Core counts the core specs. It is nil in reports that predate levels.
	Core       *report.Core `json:"core,omitempty"`
	Executable int          `json:"executable"`
	// Features are the features, other than core, that specs of the profile
	// proved: one passed, and none failed.
	Features []features.Feature `json:"features,omitempty"`
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

func newRow(dir string, r published.Report) (Row, error) {
	path, err := filepath.Rel(dir, r.Path)
	if err != nil {
		return Row{}, fmt.Errorf("find the report %s in %s: %w", r.Path, dir, err)
	}
	if len(r.Own) == 0 {
		return Row{}, fmt.Errorf("report %s judges no implementation of its directory", r.Path)
	}
	row := Row{
		Organization: r.Own[0].Organization, Project: r.Own[0].Project, URL: r.Own[0].URL, Version: r.Own[0].Version, Mode: r.Mode(),
		Report: filepath.ToSlash(path), Kubernetes: r.Cluster.Release(), Suite: r.Run.Version, Verdict: r.Verdict.Result,
		NotComplete: published.NotComplete(r.Report),
	}
	for _, i := range r.Own {
		row.Drivers = append(row.Drivers, i.Driver)
	}
	for _, i := range r.Others {
		row.Others = append(row.Others, i.String())
	}
	for name, found := range r.Features {
		if found.Overridden {
			row.Declared = append(row.Declared, name)
		}
	}
	slices.Sort(row.Declared)
	for _, p := range r.Verdict.Profiles {
		row.Cells = append(row.Cells, newCell(p, r.Specs))
	}
	return row, nil
}

func newCell(p report.Profile, specs []report.Spec) Cell {
	c := Cell{Profile: p.Name, Result: p.Result, Core: p.Core}
	proved := map[features.Feature]bool{}
	for _, s := range specs {
		if s.Profile != p.Name || s.Outcome == suite.NotSupported || s.Outcome == suite.NotApplicable {
			continue
		}
		c.Executable++
		if s.Outcome == suite.Passed {
			c.Passed++
		}
		for _, f := range s.Features {
			before, known := proved[f]
			proved[f] = s.Outcome != suite.Failed && (before || !known && s.Outcome == suite.Passed)
		}
	}
	for f, is := range proved {
		if is && f != features.Core {
			c.Features = append(c.Features, f)
		}
	}
	slices.Sort(c.Features)
	return c
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

// texts about all tables.
const (
	title  = "DRA drivers by conformance"
	legend = "Each cell has the result of a profile, the number of passed specs of those that could run in the cluster, and the features that specs of the profile proved."
	apart  = "These runs did not cover all specs. They are not comparable with complete ones."
)

// notes returns what a reader of a row has to know in addition.
func (r Row) notes() []string {
	var all []string
	if len(r.Others) > 0 {
		all = append(all, "together with "+strings.Join(r.Others, "; "))
	}
	if len(r.Declared) > 0 {
		names := make([]string, len(r.Declared))
		for i, f := range r.Declared {
			names[i] = string(f)
		}
		all = append(all, "features declared by the caller: "+strings.Join(names, ", "))
	}
	if r.NotComplete != "" {
		all = append(all, r.NotComplete)
	}
	return all
}
