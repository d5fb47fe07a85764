// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/component-base/featuregate"

	"github.com/draconform/draconform/clusters"
)

// TestTable compares the table with the definitions of each release, in both
// directions.
func TestTable(t *testing.T) {
	forEachRelease(t, func(t *testing.T, r clusters.Release) {
		g := NewWithT(t)
		defined := featuresOf(t, r).gate(t, r, "").GetAll()
		for name := range defined {
			if isDRA(string(name)) {
				g.Expect(names(gatesOf(r.Minor))).To(ContainElement(string(name)), "Kubernetes %s has this gate", r)
			}
		}
		for _, row := range gatesOf(r.Minor) {
			spec, ok := defined[featuregate.Feature(row.name)]
			g.Expect(ok).To(BeTrue(), "Kubernetes %s has no gate %s", r, row.name)
			in := row.in[r.Minor]
			in.compat = ""
			g.Expect(in).To(Equal(stateOf(spec)), "%s in Kubernetes %s", row.name, r)
		}
		// A row may only omit a release that does not have the gate.
		for _, row := range table {
			if _, ok := row.in[r.Minor]; !ok {
				g.Expect(defined).NotTo(HaveKey(featuregate.Feature(row.name)), "Kubernetes %s has this gate", r)
			}
		}
	})
}

// TestTableHasCompatibilityVersions checks the gates whose default differs with the
// newest --min-compatibility-version.
func TestTableHasCompatibilityVersions(t *testing.T) {
	forEachRelease(t, func(t *testing.T, r clusters.Release) {
		f := featuresOf(t, r)
		usual, newest := f.gate(t, r, "").GetAll(), f.gate(t, r, r.Minor).GetAll()
		want := map[string]string{}
		for _, row := range gatesOf(r.Minor) {
			spec := newest[featuregate.Feature(row.name)]
			if spec.Default != usual[featuregate.Feature(row.name)].Default {
				want[row.name] = spec.MinCompatibilityVersion.String()
			}
		}
		got := map[string]string{}
		for _, row := range gatesOf(r.Minor) {
			if compat := row.in[r.Minor].compat; compat != "" {
				got[row.name] = compat
			}
		}
		NewWithT(t).Expect(got).To(Equal(want))
	})
}

// TestTableNeeds compares the dependencies between gates.
func TestTableNeeds(t *testing.T) {
	forEachRelease(t, func(t *testing.T, r clusters.Release) {
		g := NewWithT(t)
		needs := featuresOf(t, r).needs
		if !r.AtLeast("1.35") {
			g.Expect(needs).To(BeNil(), "Kubernetes %s enforces dependencies", r)
			return
		}
		for _, row := range gatesOf(r.Minor) {
			var want []string
			for _, need := range needs[featuregate.Feature(row.name)] {
				want = append(want, string(need))
			}
			g.Expect(row.needs).To(ConsistOf(want), "what %s needs in Kubernetes %s", row.name, r)
		}
	})
}

// TestTableHasOnlyRelatedGates checks that a DRA gate needs each gate of another
// feature in the table, or that the gate needs DRA.
func TestTableHasOnlyRelatedGates(t *testing.T) {
	needed := map[string]bool{}
	for _, row := range table {
		for _, need := range row.needs {
			needed[need] = true
		}
	}
	for _, row := range table {
		if !isDRA(row.name) {
			NewWithT(t).Expect(needed[row.name] || slices.Contains(needs(row.name), dra)).To(BeTrue(), row.name)
		}
	}
}

func TestTableIsSorted(t *testing.T) {
	g := NewWithT(t)
	g.Expect(slices.IsSorted(names(table))).To(BeTrue())
	g.Expect(slices.Compact(names(table))).To(HaveLen(len(table)))
	for _, row := range table {
		for minor := range row.serves {
			g.Expect(row.in).To(HaveKey(minor), "%s needs an API in a release that does not have the gate", row.name)
		}
		for minor := range row.in {
			_, err := clusters.FindRelease(minor)
			g.Expect(err).NotTo(HaveOccurred(), row.name)
		}
	}
}

func names(rows []gate) []string {
	var all []string
	for _, row := range rows {
		all = append(all, row.name)
	}
	return all
}

func stateOf(spec featuregate.FeatureSpec) state {
	stage := Stage(strings.ToUpper(string(spec.PreRelease)))
	if spec.PreRelease == featuregate.GA {
		stage = GA
	}
	return state{stage: stage, on: spec.Default, locked: spec.LockToDefault}
}
