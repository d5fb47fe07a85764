// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/affinity"
	"github.com/draconform/draconform/allocator/internal/plan"
)

const parent = resourceapi.FullyQualifiedName("gpu.example.com/parent")

func constrained(c *resourceapi.ResourceClaim, constraints ...resourceapi.DeviceConstraint) *resourceapi.ResourceClaim {
	c.Spec.Devices.Constraints = constraints
	return c
}

func match(requests ...string) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{MatchAttribute: ptr.To(parent), Requests: requests}
}

func distinct(requests ...string) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{DistinctAttribute: ptr.To(parent), Requests: requests}
}

func TestScopeOfAConstraint(t *testing.T) {
	for name, test := range map[string]struct {
		requests []string
		want     []string
	}{
		"all of the claim":              {nil, []string{"a", "b", "p/sub-0", "p/sub-1"}},
		"one request":                   {[]string{"b"}, []string{"b"}},
		"two requests":                  {[]string{"b", "a"}, []string{"a", "b"}},
		"all alternatives of a request": {[]string{"p"}, []string{"p/sub-0", "p/sub-1"}},
		"one alternative":               {[]string{"a", "p/sub-1"}, []string{"a", "p/sub-1"}},
		"not the bare alternative":      {[]string{"sub-1"}, nil},
		"an unknown request":            {[]string{"x"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := constrained(claim("c", request("a"), request("b"), prioritized("p", 1, 1)), match(test.requests...))
			p := compile(allFeatures, c, claim("d", request("z")))
			var got []string
			for i := range p.Alternatives {
				a := &p.Alternatives[i]
				g.Expect(a.Constrained).To(Equal(len(a.Constraints) > 0 && a.Constraints[0]))
				if a.Constrained {
					got = append(got, a.Result)
				}
			}
			g.Expect(got).To(Equal(test.want))
		})
	}
}

// Each claim has separate constraints, and several constraints may apply to a request.
func TestConstraintsStayInTheirClaim(t *testing.T) {
	g := NewWithT(t)
	p := compile(allFeatures, constrained(claim("c", request("a"), request("b")), match(), distinct("a"), match("b")), constrained(claim("d", request("z")), distinct()))
	g.Expect(p.Alternatives[0].Constraints).To(Equal([]bool{true, true, false}))
	g.Expect(p.Alternatives[1].Constraints).To(Equal([]bool{true, false, true}))
	g.Expect(p.Alternatives[0].Constrained).To(BeTrue())
	g.Expect(p.Alternatives[2].Constraints).To(Equal([]bool{true}))
	kinds := []bool{}
	for _, c := range p.Claims[0].Constraints {
		kinds = append(kinds, c.Distinct)
		g.Expect(c.Name).To(Equal(parent))
		g.Expect(c.Attribute).To(BeIdenticalTo(p.Claims[1].Constraints[0].Attribute), "the same attribute is looked up once")
	}
	g.Expect(kinds).To(Equal([]bool{false, true, false}))
}

// A claim with an unknown kind of constraint cannot be allocated. Errors of its requests take precedence.
func TestUnknownConstraintIsAnErrorOfTheClaim(t *testing.T) {
	g := NewWithT(t)
	where, err := firstError(compile(allFeatures, constrained(claim("c", request("a")), match(), resourceapi.DeviceConstraint{})))
	g.Expect(where).To(Equal("claim"))
	g.Expect(err).To(MatchError("claim default/c, constraint #1: empty constraint (unsupported constraint type?)"))
	where, _ = firstError(compile(allFeatures, constrained(claim("c", request("a", noClass)), resourceapi.DeviceConstraint{})))
	g.Expect(where).To(Equal("alternative"))
}

// The claim has two requests, of which the second has two subrequests. The affinity values apply to some of them.
func TestEntryIsTheConfigurationOfTheAlternative(t *testing.T) {
	other := resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: "gpu.example.com"}}
	for name, test := range map[string]struct {
		class  []resourceapi.DeviceConfiguration
		claim  resourceapi.DeviceConfiguration
		scope  []string
		values []string // Of a, p/sub-0, p/sub-1.
	}{
		"nothing":             {nil, other, nil, []string{"", "", ""}},
		"for all":             {nil, states("x"), nil, []string{"x", "x", "x"}},
		"for one request":     {nil, states("x"), []string{"a"}, []string{"x", "", ""}},
		"for a list":          {nil, states("x"), []string{"p"}, []string{"", "x", "x"}},
		"for one alternative": {nil, states("x"), []string{"p/sub-1"}, []string{"", "", "x"}},
		"by the class":        {[]resourceapi.DeviceConfiguration{other, states("y")}, other, nil, []string{"y", "y", "y"}},
		"by both, which is one too many": {
			[]resourceapi.DeviceConfiguration{states("y")}, states("x"), []string{"a"}, []string{"twice", "y", "y"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := claim("c", request("a"), prioritized("p", 1, 1))
			c.Spec.Devices.Config = []resourceapi.DeviceClaimConfiguration{{Requests: test.scope, DeviceConfiguration: test.claim}}
			gpu := class()
			for _, config := range test.class {
				gpu.Spec.Config = append(gpu.Spec.Config, resourceapi.DeviceClassConfiguration{DeviceConfiguration: config})
			}
			p := plan.New(allFeatures, classes{"gpu": gpu}, newMemo(), []*resourceapi.ResourceClaim{c})
			var values []string
			for i := range p.Alternatives {
				value, problem := p.Alternatives[i].Entry.Value("network")
				if problem.Kind == affinity.Duplicate {
					value = "twice"
				}
				values = append(values, value)
			}
			NewWithT(t).Expect(values).To(Equal(test.values))
		})
	}
}
