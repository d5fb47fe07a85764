// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

const (
	// needsContainers is the start of the reason of specs that a control plane without
	// nodes cannot run.
	needsContainers = "needs nodes that run containers"
	// needsMetrics is the start of the reason of specs that cannot run in a kind cluster,
	// whose components serve their metrics on the loopback address of a node.
	needsMetrics = "needs to read the metrics of the control plane"
)

// comparison is the result of a comparison of two reports.
type comparison struct {
	// same counts the specs with the same outcome. run counts those of them that
	// have run.
	same, run int
	// containers counts the specs that need running containers, and metrics those that
	// need the metrics of the components.
	containers, metrics int
	// unselected counts the specs that only one of the runs selects.
	unselected int
	// differences describe the specs with other outcomes.
	differences []string
}

// compare compares the outcomes of all specs that both reports have. It returns an
// error if the reports are not of the same release, gates and scheduler, or if they have
// nothing to compare.
func compare(ofControlPlane, ofKind report.Report) (comparison, error) {
	a, b := ofControlPlane.Cluster, ofKind.Cluster
	of := func(c report.Cluster) string {
		return fmt.Sprintf("Kubernetes %s, gates %s, scheduler %s", c.Release(), c.GateSet, c.Scheduler)
	}
	if of(a) != of(b) {
		return comparison{}, fmt.Errorf("the reports are of different clusters: %s; %s", of(a), of(b))
	}
	inKind := map[string]report.Spec{}
	for _, s := range ofKind.Specs {
		inKind[s.ID] = s
	}
	var c comparison
	for _, s := range ofControlPlane.Specs {
		other, found := inKind[s.ID]
		switch {
		case !found:
		case lacks(s, suite.NotApplicable, needsContainers):
			c.containers++
		case lacks(other, suite.NotApplicable, needsMetrics):
			c.metrics++
		case lacks(s, suite.Skipped, suite.ExcludedBySelection) != lacks(other, suite.Skipped, suite.ExcludedBySelection):
			c.unselected++
		case s.Outcome != other.Outcome:
			c.differences = append(c.differences, fmt.Sprintf("%s: %s%s, in kind %s%s", s.ID, s.Outcome, because(s), other.Outcome, because(other)))
		default:
			c.same++
			if s.Outcome == suite.Passed || s.Outcome == suite.Failed {
				c.run++
			}
		}
	}
	if c.run+len(c.differences) == 0 {
		return comparison{}, errors.New("the reports have nothing to compare: no spec has run in both")
	}
	return c, nil
}

// lacks reports whether a spec has this outcome for a reason that starts so.
func lacks(s report.Spec, outcome suite.Outcome, reason string) bool {
	return s.Outcome == outcome && strings.HasPrefix(s.Reason, reason)
}

// because returns the first line of the reason of an outcome.
func because(s report.Spec) string {
	if s.Reason == "" {
		return ""
	}
	first, _, _ := strings.Cut(s.Reason, "\n")
	return " (" + first + ")"
}
