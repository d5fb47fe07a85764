// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package table

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/published"
	"github.com/draconform/draconform/e2e/suite"
)

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
