package docs

import (
	"fmt"
	"strings"

	"github.com/draconform/draconform/e2e/suite"
)

const journeysIntro = `
## Journeys

Each changes a cluster of its own under its workloads, stop by stop: ` + "`make e2e-skew`" + ` and ` + "`draconform skew`" + ` go on them. After
every stop, pods that ran before must run with the same devices, one of their containers must come back after its end,
nothing may be given twice, and no object may be lost or emptied. Half-way, the scheduler and the controller manager are
killed.
`

// apart separates the specs that run in any cluster from the journeys.
func apart(all []suite.Spec) (specs, journeys []suite.Spec) {
	for _, s := range all {
		if s.Journey == nil {
			specs = append(specs, s)
		} else {
			journeys = append(journeys, s)
		}
	}
	return specs, journeys
}

// travels describes the journeys and their stops.
func travels(journeys []suite.Spec) string {
	if len(journeys) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(journeysIntro)
	for _, s := range journeys {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\nIt begins in %s, with %d worker nodes, and judges the %s.", anchored(s.ID), plain(s.Sentence),
			plain(s.Journey.Start.String()), s.Journey.Start.Workers, s.Judges)
		if len(s.Requirements) > 0 {
			fmt.Fprintf(&b, " It proves %s.", links(requirementsPage, s.Requirements))
		}
		b.WriteString("\n\n")
		for i, stop := range s.Journey.Stops() {
			fmt.Fprintf(&b, "%d. %s\n", i+1, plain(stop.Text))
		}
	}
	return b.String()
}
