// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/evidence"
	"github.com/draconform/draconform/e2e/suite"
)

// The evidence for AI conformance is by the ids of items, with the specs of
// each. It says whether the devices were fake.
func TestMarkdownAIConformance(t *testing.T) {
	g := NewWithT(t)
	r := report.Report{
		Cluster: report.Cluster{Components: []report.Component{{Name: "kube-apiserver", Version: "v1.35.4"}}},
		Specs: []report.Spec{
			{ID: "exclusive-is-prepared-and-released", Outcome: suite.Passed}, {ID: "made-claims-are-freed", Outcome: suite.Passed},
			{ID: "containers-see-their-requests", Outcome: suite.Failed}, {ID: "shared-is-prepared-and-released", Outcome: suite.NotSupported},
		},
	}
	text := markdown(t, evidence.Evidence{Report: r})
	g.Expect(text).To(ContainSubstring("\n## AI conformance\n\nEvidence for items of the Kubernetes AI Conformance checklist of v1.35, by their ids.\n\n| item |"))
	for _, row := range []string{
		"\n\\| `dra_support` \\| MUST \\| [^|]+ \\| proved \\| exclusive-is-prepared-and-released, made-claims-are-freed \\|\n",
		"\n\\| `secure_accelerator_access` \\| MUST \\| [^|]+ \\| failed: containers-see-their-requests \\| init-containers-see-devices, containers-see-their-requests",
		"\n\\| `gpu_sharing` \\| SHOULD \\| [^|]+ \\| not-run: .*shared-is-prepared-and-released is not-supported",
	} {
		g.Expect(text).To(MatchRegexp(row))
	}
	r.Subject.Installed = true
	g.Expect(markdown(t, evidence.Evidence{Report: r})).To(ContainSubstring("The devices of this run are fake"))
	r.Cluster.Components = nil
	g.Expect(markdown(t, evidence.Evidence{Report: r})).NotTo(ContainSubstring("AI conformance"), "the release is unknown")
}

// The implementations of drivers are in the properties of a run.
func TestFactsNameImplementations(t *testing.T) {
	r := report.Report{Subject: report.Subject{Drivers: []string{"a.com", "b.com"}, Implementations: []report.Implementation{
		{Driver: "a.com", Mode: "default", Organization: "A", Project: "a", Version: "v1.2.3"}, {Driver: "b.com", Mode: "mig"},
	}}}
	NewWithT(t).Expect(evidence.Facts(r)).To(ContainElement(evidence.Fact{Name: "Drivers", Value: "a.com: A a v1.2.3, mode default; b.com, mode mig"}))
}
