// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/plan"
)

func TestRequestsBecomeAlternatives(t *testing.T) {
	g := NewWithT(t)
	p := compile(allFeatures, claim("c", request("one"), prioritized("some", 4, 2)), claim("none"), claim("d", request("all", all)))
	g.Expect(results(p)).To(Equal([]string{"one", "some/sub-0", "some/sub-1", "all"}))

	type place struct{ claim, request, count int }
	var places []place
	for i := range p.Alternatives {
		a := &p.Alternatives[i]
		places = append(places, place{a.Claim, a.Request, a.Count})
	}
	g.Expect(places).To(Equal([]place{{0, 0, 1}, {0, 1, 4}, {0, 1, 2}, {2, 2, 0}}))

	var requests, claims [][2]int
	for _, r := range p.Requests {
		requests = append(requests, [2]int{r.First, r.End})
	}
	for _, c := range p.Claims {
		claims = append(claims, [2]int{c.First, c.End})
	}
	g.Expect(requests).To(Equal([][2]int{{0, 1}, {1, 3}, {3, 4}}))
	g.Expect(claims).To(Equal([][2]int{{0, 2}, {2, 2}, {2, 3}}))
	g.Expect([]bool{p.Requests[0].Prioritized, p.Requests[1].Prioritized, p.Requests[2].Prioritized}).To(Equal([]bool{false, true, false}))
	g.Expect([]bool{p.Alternatives[0].All, p.Alternatives[1].All, p.Alternatives[3].All}).To(Equal([]bool{false, false, true}))
}

// The fields that requests and subrequests have in common have the same effect.
func TestRequestAndSubrequestCompileToTheSame(t *testing.T) {
	g := NewWithT(t)
	tolerations := []resourceapi.DeviceToleration{{Key: "k", Operator: resourceapi.DeviceTolerationOpExists}}
	requirements := &resourceapi.CapacityRequirements{Requests: capacities("memory", "1Gi")}
	derived := []resourceapi.DeviceDerivedAttribute{{Name: "example.com/a", Expression: "1"}}
	memo, one := newMemo(), resourceapi.DeviceAllocationModeExactCount
	r := resourceapi.DeviceRequest{Name: "some", FirstAvailable: []sub{{
		Name: "a", DeviceClassName: "gpu", Selectors: selectors("true"), AllocationMode: one, Count: 3,
		Tolerations: tolerations, Capacity: requirements, DerivedAttributes: derived,
	}}}
	e := resourceapi.DeviceRequest{Name: "one", Exactly: &exact{
		DeviceClassName: "gpu", Selectors: selectors("true"), AllocationMode: one, Count: 3,
		Tolerations: tolerations, Capacity: requirements, DerivedAttributes: derived,
	}}
	gpu := class("false")
	p := plan.New(allFeatures, classes{"gpu": gpu}, memo, []*resourceapi.ResourceClaim{claim("c", e, r)})
	g.Expect(results(p)).To(Equal([]string{"one", "some/a"}))
	for i, name := range []string{"one", "a"} {
		a := &p.Alternatives[i]
		g.Expect(a.Err).NotTo(HaveOccurred())
		g.Expect(a.Name).To(Equal(name))
		g.Expect(a.Class).To(BeIdenticalTo(gpu))
		g.Expect(a.Count).To(Equal(3))
		g.Expect(a.Tolerations).To(Equal(tolerations))
		g.Expect(a.Requirement).To(BeIdenticalTo(memo.Requirement(requirements.Requests, true)))
		g.Expect(a.Derived).To(HaveKeyWithValue(derived[0].Name, BeIdenticalTo(memo.Derived("1"))))
		g.Expect(a.Checks).To(Equal([]plan.Check{{Selector: memo.Selector("false"), OfClass: true}, {Selector: memo.Selector("true")}}))
		g.Expect(a.Admin).To(BeFalse())
	}
}

func TestSelectorsOfTheClassComeFirst(t *testing.T) {
	g := NewWithT(t)
	r := request("r", func(e *exact) { e.Selectors = selectors("3 > 2", "4 > 3") })
	p := plan.New(allFeatures, classes{"gpu": class("1 > 0", "2 > 1")}, newMemo(), []*resourceapi.ResourceClaim{claim("c", r)})
	var checks []string
	for _, check := range p.Alternatives[0].Checks {
		checks = append(checks, fmt.Sprintf("%s class=%v #%d", check.Expression, check.OfClass, check.Index))
	}
	g.Expect(checks).To(Equal([]string{"1 > 0 class=true #0", "2 > 1 class=true #1", "3 > 2 class=false #0", "4 > 3 class=false #1"}))
}

func TestAdminAccessIsRequestedByTrueOnly(t *testing.T) {
	for name, test := range map[string]struct {
		access *bool
		want   bool
	}{"unset": {nil, false}, "false": {ptr.To(false), false}, "true": {ptr.To(true), true}} {
		t.Run(name, func(t *testing.T) {
			p := compile(allFeatures, claim("c", request("r", func(e *exact) { e.AdminAccess = test.access })))
			NewWithT(t).Expect(p.Alternatives[0].Admin).To(Equal(test.want))
		})
	}
}

// Without DRAConsumableCapacity capacities are ignored. With it every request has a requirement, including requests
// without capacity requests.
func TestRequirementDependsOnTheFeatures(t *testing.T) {
	for name, test := range map[string]struct {
		features structured.Features
		want     string
	}{
		"off":                   {structured.Features{}, "none"},
		"on":                    {structured.Features{ConsumableCapacity: true}, "whole"},
		"on, fractional ranges": {structured.Features{ConsumableCapacity: true, FractionalCapacityRange: true}, "fractional"},
	} {
		t.Run(name, func(t *testing.T) {
			memo := newMemo()
			p := plan.New(test.features, classes{"gpu": class()}, memo, []*resourceapi.ResourceClaim{claim("c", request("r"))})
			got := "none"
			switch p.Alternatives[0].Requirement {
			case memo.Requirement(nil, false):
				got = "whole"
			case memo.Requirement(nil, true):
				got = "fractional"
			}
			NewWithT(t).Expect(got).To(Equal(test.want))
		})
	}
}

// A plan that is not static must be checked on each node.
func TestPlanIsStaticWithoutAllAndErrors(t *testing.T) {
	for name, test := range map[string]struct {
		requests []resourceapi.DeviceRequest
		want     bool
	}{
		"counts":                {[]resourceapi.DeviceRequest{request("a"), prioritized("b", 1)}, true},
		"all":                   {[]resourceapi.DeviceRequest{request("a"), request("b", all), request("c")}, false},
		"all as an alternative": {[]resourceapi.DeviceRequest{withAll(prioritized("a", 1, 1)), request("b")}, false},
		"an error":              {[]resourceapi.DeviceRequest{request("a", noClass)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(compile(allFeatures, claim("c", test.requests...)).Static).To(Equal(test.want))
		})
	}
}

func withAll(r resourceapi.DeviceRequest) resourceapi.DeviceRequest {
	last := &r.FirstAvailable[len(r.FirstAvailable)-1]
	last.AllocationMode, last.Count = resourceapi.DeviceAllocationModeAll, 0
	return r
}

func noClass(e *exact) { e.DeviceClassName = "" }

func TestNamesInErrors(t *testing.T) {
	g := NewWithT(t)
	p := compile(allFeatures, claim("c", request("a"), prioritized("b", 1)))
	g.Expect(p.RequestName(1)).To(Equal("default/c: b"))
	p.Claims[0].API.Namespace = ""
	g.Expect(p.RequestName(0)).To(Equal("c: a"))
}

func TestPlanIsCurrentForTheSameObjects(t *testing.T) {
	g := NewWithT(t)
	gpu := class()
	known := classes{"gpu": gpu}
	claims := []*resourceapi.ResourceClaim{claim("c", request("r")), claim("d", request("r"))}
	p := plan.New(allFeatures, known, newMemo(), claims)
	g.Expect(p.Current(known, []*resourceapi.ResourceClaim{claims[0], claims[1]})).To(BeTrue())
	g.Expect(p.Current(known, claims[:1])).To(BeFalse(), "a claim less")
	g.Expect(p.Current(known, []*resourceapi.ResourceClaim{claims[1], claims[0]})).To(BeFalse(), "another order")
	g.Expect(p.Current(known, []*resourceapi.ResourceClaim{claims[0], claims[1].DeepCopy()})).To(BeFalse(), "another object")
	known["gpu"] = gpu.DeepCopy()
	g.Expect(p.Current(known, claims)).To(BeFalse(), "the class changed")
	delete(known, "gpu")
	g.Expect(p.Current(known, claims)).To(BeFalse(), "the class is deleted")
	known["gpu"] = gpu
	g.Expect(p.Current(known, claims)).To(BeTrue(), "the class is created again")
}

// An error may have been resolved in the meantime, for instance because a class was created.
func TestPlanWithAnErrorIsNeverCurrent(t *testing.T) {
	known := classes{"gpu": class()}
	for name, r := range map[string]resourceapi.DeviceRequest{
		"request": {Name: "r"}, "no class": request("r", noClass),
		"unknown mode": request("r", func(e *exact) { e.AllocationMode = "Most" }),
	} {
		t.Run(name, func(t *testing.T) {
			claims := []*resourceapi.ResourceClaim{claim("c", request("first"), r)}
			NewWithT(t).Expect(plan.New(allFeatures, known, newMemo(), claims).Current(known, claims)).To(BeFalse())
		})
	}
}
