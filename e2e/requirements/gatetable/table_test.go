// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gatetable

import (
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/specs"
)

// known returns the gates of all supported and legacy releases.
func known(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, release := range clusters.All() {
		set, err := gates.Parse("default", release)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		for _, state := range set.States() {
			all[state.Name] = true
		}
	}
	return all
}

// A new gate of a new release needs specs, or the reason why it has none.
func TestEveryGateHasALine(t *testing.T) {
	g := NewWithT(t)
	var listed []string
	for _, l := range Lines() {
		if l.Gate != "" {
			listed = append(listed, l.Gate)
		} else {
			g.Expect(known(t)).NotTo(HaveKey(l.Feature), "%s is a gate", l.Feature)
		}
	}
	var want []string
	for gate := range known(t) {
		want = append(want, gate)
	}
	g.Expect(listed).To(ConsistOf(want))
}

// The documents of a line must exist and have requirements that specs of its
// profiles prove.
func TestNamedDocumentsAndProfilesExist(t *testing.T) {
	profileOf := map[string]string{}
	for _, s := range slices.Concat(specs.All(), journeys.All()) {
		profileOf[s.ID] = s.Profile
	}
	documents := map[string]requirements.Document{}
	for _, d := range requirements.Documents() {
		documents[d.KEP] = d
	}
	for _, l := range Lines() {
		t.Run(l.Name(), func(t *testing.T) {
			g := NewWithT(t)
			found := map[string]bool{}
			for _, name := range l.Documents {
				g.Expect(documents).To(HaveKey(name), "the document of requirements")
				proved := false
				for _, r := range documents[name].Requirements {
					proved = proved || len(r.Specs) > 0
					for _, spec := range r.Specs {
						found[profileOf[spec]] = true
					}
				}
				g.Expect(proved).To(BeTrue(), "document %s should have requirements that specs prove", name)
			}
			for _, profile := range l.Profiles {
				g.Expect(found).To(HaveKey(profile), "specs of the profile should prove requirements of the documents")
			}
		})
	}
}

// A document that no line names would be missing in the table.
func TestEveryDocumentWithProofsIsNamed(t *testing.T) {
	named := map[string]bool{}
	for _, l := range Lines() {
		for _, kep := range l.Documents {
			named[kep] = true
		}
	}
	for _, d := range requirements.Documents() {
		if slices.ContainsFunc(d.Requirements, func(r requirements.Requirement) bool { return len(r.Specs) > 0 }) {
			NewWithT(t).Expect(named).To(HaveKey(d.KEP), "a line should name the document")
		}
	}
}

const valid = `- {gate: A, kep: "1", does: It does., documents: ["1"], profiles: [p]}
- {feature: b, releases: all, kep: "1", does: It does., reason: Why.}
`

func TestParse(t *testing.T) {
	all, err := parse([]byte(valid))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(all).To(HaveLen(2))
	for name, test := range map[string]struct{ from, to, want string }{
		"an unknown field":           {"reason:", "reasons:", `unknown field "reasons"`},
		"neither gate nor feature":   {"feature: b, ", "", "needs either a gate or a feature"},
		"both":                       {"feature: b", "feature: b, gate: B", "needs either a gate or a feature"},
		"a gate with releases":       {"gate: A", "gate: A, releases: all", `line 1, "A": needs releases if it is a feature`},
		"a feature without releases": {"releases: all, ", "", `line 2, "b": needs releases if it is a feature`},
		"no KEP":                     {`kep: "1", does: It does., reason`, `does: It does., reason`, "needs the KEP"},
		"nothing that it does":       {`does: It does., reason`, `reason`, "what it does"},
		"no reason":                  {", reason: Why.", "", "needs documents, or the reason"},
		"no profiles":                {", profiles: [p]", "", "needs both documents and profiles"},
		"a duplicate":                {"feature: b", "feature: A", "line 2: duplicate A"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(valid).To(ContainSubstring(test.from))
			_, err := parse([]byte(strings.Replace(valid, test.from, test.to, 1)))
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
}
