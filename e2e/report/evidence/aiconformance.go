// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/e2e/requirements/aiconformance"
	"github.com/draconform/draconform/e2e/suite"
)

// markdownAIConformance writes the evidence for the items of the Kubernetes AI
// Conformance checklist, if any of their specs ran.
func (e Evidence) markdownAIConformance(b *bytes.Buffer) {
	outcomes := make(map[string]suite.Outcome, len(e.Report.Specs))
	for _, s := range e.Report.Specs {
		outcomes[s.ID] = s.Outcome
	}
	release := e.Report.Cluster.Release()
	results := aiconformance.Evaluate(aiconformance.Items(), release, outcomes)
	if len(results) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## AI conformance\n\nEvidence for items of the Kubernetes AI Conformance checklist of %s, by their ids.", cell(semver.MajorMinor(release)))
	if e.Report.Subject.Installed {
		b.WriteString(" The devices of this run are fake: it judges the cluster, and not the drivers of its accelerators.")
	}
	b.WriteString("\n\n| item | level | statement | outcome | specs |\n|---|---|---|---|---|\n")
	for _, r := range results {
		outcome := string(r.Outcome)
		if r.Reason != "" {
			outcome += ": " + r.Reason
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", r.ID, strings.ToUpper(string(r.Level)), cell(r.Statement), cell(outcome), cell(strings.Join(r.Specs(), ", ")))
	}
}
