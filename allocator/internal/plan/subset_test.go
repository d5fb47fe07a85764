// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/allocator/internal/plan"
)

func TestSubsetHasTheKeptAlternatives(t *testing.T) {
	for name, test := range map[string]struct {
		keep   []string
		claims [][2]int
	}{
		"everything":                    {[]string{"a", "p/sub-0", "p/sub-1", "b", "z"}, [][2]int{{0, 3}, {3, 4}}},
		"nothing":                       {[]string{}, [][2]int{{0, 0}, {0, 0}}},
		"a request of one claim":        {[]string{"b"}, [][2]int{{0, 1}, {1, 1}}},
		"a request of the other":        {[]string{"z"}, [][2]int{{0, 0}, {0, 1}}},
		"one alternative":               {[]string{"p/sub-1"}, [][2]int{{0, 1}, {1, 1}}},
		"all but one alternative":       {[]string{"a", "p/sub-1", "b", "z"}, [][2]int{{0, 3}, {3, 4}}},
		"two, and a request in between": {[]string{"a", "b"}, [][2]int{{0, 2}, {2, 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p := compile(allFeatures, constrained(claim("c", request("a"), prioritized("p", 1, 1), request("b")), match("a", "b")), claim("d", request("z")))
			subset, origin := p.Subset(func(i int) bool { return slices.Contains(test.keep, p.Alternatives[i].Result) })
			g.Expect(results(subset)).To(Equal(test.keep))
			var claims [][2]int
			for _, c := range subset.Claims {
				claims = append(claims, [2]int{c.First, c.End})
			}
			g.Expect(claims).To(Equal(test.claims))
			g.Expect(origin).To(HaveLen(len(subset.Alternatives)))
			for i := range subset.Alternatives {
				expectConsistent(g, subset, i)
				want := p.Alternatives[origin[i]]
				want.Request = subset.Alternatives[i].Request
				g.Expect(subset.Alternatives[i]).To(Equal(want), "nothing else changes, including constraints")
			}
			g.Expect(subset.Static).To(Equal(p.Static))
			g.Expect(results(p)).To(HaveLen(5), "the plan itself is unchanged")
		})
	}
}

// expectConsistent checks that claim, request and alternative refer to each other.
func expectConsistent(g Gomega, p *plan.Plan, i int) {
	a := &p.Alternatives[i]
	r := &p.Requests[a.Request]
	g.Expect(r.API.Name).To(Or(Equal(a.Name), Equal("p")))
	g.Expect(i).To(And(BeNumerically(">=", r.First), BeNumerically("<", r.End)))
	g.Expect(r.Claim).To(Equal(a.Claim))
	g.Expect(a.Request).To(And(BeNumerically(">=", p.Claims[a.Claim].First), BeNumerically("<", p.Claims[a.Claim].End)))
}
