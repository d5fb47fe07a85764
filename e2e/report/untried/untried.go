// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package untried finds the specs that none of several runs has tried. A spec that
// nothing tries, for example because a feature is never recognized, fails no run.
package untried

import (
	"cmp"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// Spec is a spec that neither passed nor failed in any run.
type Spec struct {
	ID      string `json:"id"`
	Profile string `json:"profile"`
	// Reasons are the first lines of the reasons of runs that have the spec, the most
	// frequent first. It is empty if no run has it.
	Reasons []Reason `json:"reasons,omitempty"`
}

// Reason is why runs did not try a spec.
type Reason struct {
	Text string `json:"text"`
	// Runs is the number of runs with this reason.
	Runs int `json:"runs"`
}

// Find returns the specs among all that no report has an attempt of, in their order.
func Find(all []suite.Spec, reports []report.Report) []Spec {
	tried := map[string]bool{}
	reasons := map[string]map[string]int{}
	for _, r := range reports {
		for _, s := range r.Specs {
			if s.Outcome == suite.Passed || s.Outcome == suite.Failed {
				tried[s.ID] = true
				continue
			}
			if reasons[s.ID] == nil {
				reasons[s.ID] = map[string]int{}
			}
			reason, _, _ := strings.Cut(s.Reason, "\n")
			reasons[s.ID][cmp.Or(reason, "the run ended before")]++
		}
	}
	var untried []Spec
	for _, s := range all {
		if !tried[s.ID] {
			untried = append(untried, Spec{ID: s.ID, Profile: s.Profile, Reasons: sorted(reasons[s.ID])})
		}
	}
	return untried
}

func sorted(runs map[string]int) []Reason {
	var list []Reason
	for _, text := range slices.Sorted(maps.Keys(runs)) {
		list = append(list, Reason{text, runs[text]})
	}
	slices.SortStableFunc(list, func(a, b Reason) int { return b.Runs - a.Runs })
	return list
}

// Reports returns the paths of all reports in a folder and the folders in it, such as
// those of the artifacts of a matrix of jobs. The path of a report is returned as it is.
func Reports(path string) ([]string, error) {
	var found []string
	err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && (entry.Name() == report.File || file == path) {
			found = append(found, file)
		}
		return err
	})
	return found, err
}
