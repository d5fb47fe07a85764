// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"strings"

	"github.com/draconform/draconform/e2e/suite"
)

const journeysIntro = `
## <a id="journeys"></a>Journeys

A journey has its own cluster and changes it while workloads run, in several steps. ` + "`make e2e-skew`" + ` and ` + "`draconform skew`" + ` run
journeys. After every step, running pods must have the same devices, one of their containers is killed and must be
restarted, no device may be allocated twice, and no object may be lost or emptied: claims keep their owners, finalizers,
labels, annotations and the status of their devices, and an update of an object keeps its other fields. In the step in the
middle, the scheduler and the controller manager are killed. After the last step, all pods are deleted: their claims must be
unprepared and freed, and other pods must get devices with the same claims and templates.
`

// splitJourneys separates the specs that run in any cluster from the journeys.
func splitJourneys(all []suite.Spec) (specs, journeys []suite.Spec) {
	for _, s := range all {
		if s.Journey == nil {
			specs = append(specs, s)
		} else {
			journeys = append(journeys, s)
		}
	}
	return specs, journeys
}

// renderJourneys describes the journeys and their steps.
func renderJourneys(journeys []suite.Spec) string {
	if len(journeys) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(journeysIntro)
	for _, s := range journeys {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n- Level: %s\n- Component: %s\n- Starts with: %s, %s\n", anchored(s.ID), plain(s.Description),
			s.Level, s.Component, plain(s.Journey.InitialCluster.String()), workers(s.Journey.InitialCluster.Workers))
		if len(s.Requirements) > 0 {
			fmt.Fprintf(&b, "- Proves: %s\n", links(requirementsPage, s.Requirements))
		}
		b.WriteString("\n")
		for i, step := range s.Journey.Steps() {
			fmt.Fprintf(&b, "%d. %s\n", i+1, plain(step.Text))
		}
	}
	return b.String()
}
