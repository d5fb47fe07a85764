package partitioning

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
)

// The spec of layouts asserts that everything fits that does not overlap. The
// layouts must therefore cover all such combinations.
func TestLayoutsCoverPlacementsThatDoNotOverlap(t *testing.T) {
	g := NewWithT(t)
	all, layouts := placements()
	g.Expect(all).To(HaveLen(25), "the positions without an X in KEP-4815's diagram")
	together := func(names ...string) bool {
		return slices.ContainsFunc(layouts, func(layout []string) bool {
			return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(layout, name) })
		})
	}
	for i, a := range all {
		g.Expect(together(a.name)).To(BeTrue(), a.name)
		for _, b := range all[:i] {
			switch {
			case a.overlaps(b):
				g.Expect(together(a.name, b.name)).To(BeFalse(), "%s overlaps with %s", a.name, b.name)
			case !a.once && !b.once:
				g.Expect(together(a.name, b.name)).To(BeTrue(), "%s does not overlap with %s", a.name, b.name)
			}
		}
	}
	for _, layout := range layouts {
		for _, p := range all {
			free := !slices.ContainsFunc(all, func(other placement) bool { return slices.Contains(layout, other.name) && other.overlaps(p) })
			g.Expect(free).To(BeFalse(), "%v leaves room for %s", layout, p.name)
		}
	}
}

// The model and the file must have the same places.
func TestPlacementsOfTheModel(t *testing.T) {
	g := NewWithT(t)
	all, _ := placements()
	want := []string{"whole"}
	for _, p := range all {
		want = append(want, p.name)
	}
	var got []string
	for _, device := range a100s("node", 1).Devices {
		got = append(got, *device.Attributes["place"].StringValue)
	}
	g.Expect(got).To(ConsistOf(want))
}
