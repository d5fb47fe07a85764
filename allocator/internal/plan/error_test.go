// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/plan"
)

func capacities(name resourceapi.QualifiedName, value string) map[resourceapi.QualifiedName]resource.Quantity {
	return map[resourceapi.QualifiedName]resource.Quantity{name: resource.MustParse(value)}
}

// firstError returns the error that the search would find first, and where it is stored.
func firstError(p *plan.Plan) (where string, err error) {
	for i := range p.Claims {
		c := &p.Claims[i]
		for j := c.First; j < c.End; j++ {
			r := &p.Requests[j]
			if r.Err != nil {
				return "request", r.Err
			}
			for k := r.First; k < r.End; k++ {
				if p.Alternatives[k].Err != nil {
					return "alternative", p.Alternatives[k].Err
				}
			}
		}
		if c.Err != nil {
			return "claim", c.Err
		}
	}
	return "", nil
}

func TestErrorsOfRequests(t *testing.T) {
	without := func(change func(*structured.Features)) structured.Features {
		features := allFeatures
		change(&features)
		return features
	}
	noPriority := without(func(f *structured.Features) { f.PrioritizedList = false })
	noCapacity := without(func(f *structured.Features) { f.ConsumableCapacity = false })
	noAdmin := without(func(f *structured.Features) { f.AdminAccess = false })
	noDerived := without(func(f *structured.Features) { f.DerivedAttributes = false })
	requirements := &resourceapi.CapacityRequirements{}
	sized := prioritized("r", 1, 1)
	sized.FirstAvailable[1].Capacity = requirements
	empty := func(e *exact) { e.Selectors = append(selectors("true"), resourceapi.DeviceSelector{}) }
	admin := func(e *exact) { e.AdminAccess = ptr.To(false) }
	derived := func(e *exact) {
		e.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{Name: "example.com/a", Expression: "1"}}
	}
	for name, test := range map[string]struct {
		features structured.Features
		request  resourceapi.DeviceRequest
		where    string
		want     string
	}{
		"subrequests without the feature":     {noPriority, prioritized("r", 1), "request", "claim default/c, request r: has subrequests, but the DRAPrioritizedList feature is disabled"},
		"capacity without the feature":        {noCapacity, request("r", func(e *exact) { e.Capacity = requirements }), "request", "claim default/c, request r: has capacity requests, but the DRAConsumableCapacity feature is disabled"},
		"capacity of a subrequest without it": {noCapacity, sized, "request", "claim default/c, subrequest sub-1: has capacity requests, but the DRAConsumableCapacity feature is disabled"},
		"neither one nor a list":              {allFeatures, resourceapi.DeviceRequest{Name: "r"}, "request", "claim default/c, request r: neither exactly nor firstAvailable is set (unsupported request type?)"},
		"derived attributes without":          {noDerived, request("r", derived), "alternative", "claim default/c, request r: cannot handle request with derived attributes, the feature is disabled"},
		"a selector of an unknown kind":       {allFeatures, request("r", empty), "alternative", "claim default/c, request r, selector #1: CEL expression empty (unsupported selector type?)"},
		"admin access, even denied, without":  {noAdmin, request("r", admin), "alternative", "claim default/c, request r: admin access is requested, but the feature is disabled"},
		"no class":                            {allFeatures, request("r", noClass), "alternative", "claim default/c, request r: missing device class name (unsupported request type?)"},
		"a class that does not exist":         {allFeatures, request("r", func(e *exact) { e.DeviceClassName = "x" }), "alternative", "claim default/c, request r: could not retrieve device class x: there is no class x"},
		"a class with an unknown selector":    {allFeatures, request("r", func(e *exact) { e.DeviceClassName = "odd" }), "alternative", "class odd, selector #0: CEL expression empty (unsupported selector type?)"},
		"an unknown mode":                     {allFeatures, request("r", func(e *exact) { e.AllocationMode = "Most" }), "alternative", "claim default/c, request r: unsupported count mode Most"},
		"derived attributes before selectors": {noDerived, request("r", derived, empty), "alternative", "claim default/c, request r: cannot handle request with derived attributes, the feature is disabled"},
		"selectors before admin access":       {noAdmin, request("r", empty, admin), "alternative", "claim default/c, request r, selector #1: CEL expression empty (unsupported selector type?)"},
		"admin access before the class":       {noAdmin, request("r", admin, noClass), "alternative", "claim default/c, request r: admin access is requested, but the feature is disabled"},
		"the class before the mode":           {allFeatures, request("r", noClass, func(e *exact) { e.AllocationMode = "Most" }), "alternative", "claim default/c, request r: missing device class name (unsupported request type?)"},
		"an alternative is named by itself":   {allFeatures, misnamed(prioritized("r", 1, 1)), "alternative", "claim default/c, request sub-1: missing device class name (unsupported request type?)"},
		"a CEL error is not one of the plan":  {allFeatures, request("r", func(e *exact) { e.Selectors = selectors("no CEL") }), "", ""},
		"a count of zero is not checked":      {allFeatures, request("r", func(e *exact) { e.Count = 0 }), "", ""},
		"a list with one subrequest":          {allFeatures, prioritized("r", 1), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			odd := class()
			odd.Name, odd.Spec.Selectors = "odd", []resourceapi.DeviceSelector{{}}
			p := plan.New(test.features, classes{"gpu": class(), "odd": odd}, newMemo(), []*resourceapi.ResourceClaim{claim("c", test.request)})
			where, err := firstError(p)
			g.Expect(where).To(Equal(test.where))
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(test.want))
			}
		})
	}
}

func misnamed(r resourceapi.DeviceRequest) resourceapi.DeviceRequest {
	r.FirstAvailable[1].DeviceClassName = ""
	return r
}

// The search must not evaluate anything after an error, because upstream stops there.
func TestPlanEndsWithTheFirstError(t *testing.T) {
	bad := request("bad", noClass)
	third := prioritized("p", 1, 1, 1)
	third.FirstAvailable[1].DeviceClassName = ""
	for name, test := range map[string]struct {
		claims []*resourceapi.ResourceClaim
		want   []string
	}{
		"in a request":        {[]*resourceapi.ResourceClaim{claim("c", request("a"), bad, request("z")), claim("d", request("z"))}, []string{"a", "bad"}},
		"in an alternative":   {[]*resourceapi.ResourceClaim{claim("c", third, request("z"))}, []string{"p/sub-0", "p/sub-1"}},
		"in a type":           {[]*resourceapi.ResourceClaim{claim("c", resourceapi.DeviceRequest{Name: "x"}, request("z"))}, []string{}},
		"in the constraints":  {[]*resourceapi.ResourceClaim{constrained(claim("c", request("a"), request("b")), resourceapi.DeviceConstraint{}), claim("d", request("z"))}, []string{"a", "b"}},
		"not in an empty one": {[]*resourceapi.ResourceClaim{claim("c"), claim("d", request("a"))}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(results(compile(allFeatures, test.claims...))).To(Equal(test.want))
		})
	}
}
