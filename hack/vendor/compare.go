// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// compare prints the outcomes that are worth knowing and the differences from
// the expected ones. It returns errUnexpected if there are differences. After a
// run of some specs, those that did not run are not compared.
func (e expected) compare(out io.Writer, release clusters.Release, got report.Report, some bool) error {
	var differences []string
	counts := map[suite.Outcome]int{}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range got.Specs {
		counts[s.Outcome]++
		if s.Outcome == suite.Skipped && some {
			continue
		}
		if difference := e.difference(s, release); difference != "" {
			differences = append(differences, s.ID+": "+difference)
		} else if f, fails := e.fails(s.ID, release); fails {
			fmt.Fprintf(w, "%s\tfailed as expected\t%s\n", s.ID, f.Because)
		}
	}
	differences = append(differences, e.absent(got, release)...)
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "Kubernetes %s: %d specs passed, %d failed, %d are not-applicable, %d not-supported, %d skipped\n", release.Version,
		counts[suite.Passed], counts[suite.Failed], counts[suite.NotApplicable], counts[suite.NotSupported], counts[suite.Skipped])
	if len(differences) == 0 {
		return nil
	}
	fmt.Fprintf(out, "differences from %s:\n  %s\n", expectedFile, strings.Join(differences, "\n  "))
	return errUnexpected
}

// difference returns how the outcome of a spec differs from the expected one.
// It is empty if it does not.
func (e expected) difference(s report.Spec, release clusters.Release) string {
	f, fails := e.fails(s.ID, release)
	switch {
	case fails && s.Outcome != suite.Failed:
		return fmt.Sprintf("should fail because %s, but is %s%s", f.Because, s.Outcome, reason(s))
	case fails && !f.says.MatchString(s.Reason):
		return fmt.Sprintf("should fail with a reason that matches %q, but%s", f.Says, reason(s))
	case fails:
		return ""
	case s.Outcome == suite.Failed:
		return "failed" + reason(s)
	case s.Outcome == suite.Passed && !e.passes(s.ID, release):
		return "passed, and is not expected to"
	case s.Outcome != suite.Passed && e.passes(s.ID, release):
		return fmt.Sprintf("should pass, but is %s%s", s.Outcome, reason(s))
	}
	return ""
}

// reason returns the first lines of a spec's reason.
func reason(s report.Spec) string {
	const most = 12
	if s.Reason == "" {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(s.Reason), "\n")
	if len(lines) > most {
		lines = append(lines[:most], "...")
	}
	return ": " + strings.Join(lines, "\n      ")
}

// absent returns a difference for each expected spec that a report does not
// have.
func (e expected) absent(got report.Report, release clusters.Release) []string {
	present := map[string]bool{}
	for _, s := range got.Specs {
		present[s.ID] = true
	}
	var differences []string
	for _, p := range e.Passed {
		if !present[p.ID] && e.passes(p.ID, release) {
			differences = append(differences, p.ID+": should pass, but the report does not have it")
		}
	}
	for _, f := range e.Failed {
		if _, fails := e.fails(f.ID, release); fails && !present[f.ID] {
			differences = append(differences, f.ID+": should fail, but the report does not have it")
		}
	}
	return differences
}
