package specs_test

import (
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/specs"
)

// Specs list the requirements that they prove, and requirements list the specs
// that prove them. Both lists must agree.
func TestSpecsAndRequirementsAgree(t *testing.T) {
	g := NewWithT(t)
	known := map[string]bool{}
	for _, s := range slices.Concat(specs.All(), journeys.All()) {
		known[s.ID] = true
		g.Expect(slices.Compact(slices.Sorted(slices.Values(s.Requirements)))).To(HaveLen(len(s.Requirements)), "spec %s names a requirement twice", s.ID)
		var proved []string
		for _, r := range requirements.ProvedBy(s.ID) {
			proved = append(proved, r.ID)
		}
		g.Expect(s.Requirements).To(ConsistOf(proved), "the requirements of spec %s, and the requirements that name it", s.ID)
	}
	for _, r := range requirements.All() {
		for _, id := range r.Specs {
			g.Expect(known).To(HaveKey(id), "requirement %s names a spec that does not exist", r.ID)
		}
	}
}

// featureOf returns the feature of a feature gate that a requirement needs.
func featureOf(gate string) (features.Feature, bool) {
	all := features.All()
	i := slices.IndexFunc(all, func(f features.Feature) bool { return f.Gate() == gate })
	if i < 0 {
		return "", false
	}
	return all[i], true
}

// A spec is skipped if one of its features is absent. It must therefore need
// all features of its requirements. Otherwise, it would run without them and
// falsely claim to prove the requirements.
func TestSpecsNeedTheFeaturesOfTheirRequirements(t *testing.T) {
	g := NewWithT(t)
	for _, s := range specs.All() {
		for _, id := range s.Requirements {
			r, ok := requirements.Find(id)
			g.Expect(ok).To(BeTrue(), id)
			for _, gate := range r.Gates {
				name, off := strings.CutSuffix(gate, "=false")
				feature, ok := featureOf(name)
				g.Expect(ok).To(BeTrue(), "the feature of gate %s is not known here", name)
				needed := s.Features
				if off {
					needed = s.AbsentFeatures
				}
				g.Expect(needed).To(ContainElement(feature), "spec %s proves %s, which needs %s", s.ID, id, gate)
			}
		}
	}
}
