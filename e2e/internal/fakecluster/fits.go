package fakecluster

import (
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/ptr"
)

// holding is a device that is allocated to a claim.
type holding struct{ pool, device string }

func holdings(claim *resourceapi.ResourceClaim) []holding {
	if claim.Status.Allocation == nil {
		return nil
	}
	var all []holding
	for _, r := range claim.Status.Allocation.Devices.Results {
		if !ptr.Deref(r.AdminAccess, false) {
			all = append(all, holding{r.Pool, r.Device})
		}
	}
	return all
}

// held returns the devices of the driver that are allocated to the claims of
// the cluster, as the scheduler sees them.
func (c *Cluster) held() ([]holding, error) {
	if c.Mistakes.ForgetsClaims {
		return nil, nil
	}
	all, err := c.claims()
	held := slices.Clip(c.remembered)
	for _, claim := range all {
		if claim.Status.Allocation != nil && claim.Status.Allocation.Devices.Results[0].Driver == c.Driver {
			held = append(held, holdings(claim)...)
		}
	}
	return held, err
}

// fits reports whether a device is available, matches the selectors of a
// request, and satisfies the constraints of the claim.
func (s *search) fits(w wanted, device resourceapi.Device) bool {
	c := s.cluster
	switch {
	case s.classes[w.class] == nil:
		return false
	case s.taken[device.Name]:
		return false
	case !s.ignoreCounters && !s.enough(device):
		return false
	case !c.Mistakes.IgnoresSelectors && !c.matches.all(c.Driver, slices.Concat(s.classes[w.class].Spec.Selectors, w.selectors), device):
		return false
	}
	return c.Mistakes.SpreadsParents || s.agrees(w, device)
}

func (s *search) enough(device resourceapi.Device) bool {
	for _, consumption := range device.ConsumesCounters {
		for name, counter := range consumption.Counters {
			if counter.Value.Value() > s.left[consumption.CounterSet+"/"+name] {
				return false
			}
		}
	}
	return true
}

// agrees reports whether a device satisfies the constraints that apply to a
// request.
func (s *search) agrees(w wanted, device resourceapi.Device) bool {
	c := s.cluster
	for _, constraint := range s.claim.Spec.Devices.Constraints {
		if constraint.MatchAttribute == nil || !c.constrains(constraint.Requests, w) {
			continue
		}
		value, ok := c.attribute(device, string(*constraint.MatchAttribute))
		if !ok {
			return false
		}
		for _, other := range s.chosen {
			if !c.constrains(constraint.Requests, other.wanted) {
				continue
			}
			if first, _ := c.attribute(other.device, string(*constraint.MatchAttribute)); !equality.Semantic.DeepEqual(value, first) {
				return false
			}
		}
	}
	return true
}

// attribute looks up a qualified name. The driver publishes its attributes
// without a domain.
func (c *Cluster) attribute(device resourceapi.Device, qualified string) (resourceapi.DeviceAttribute, bool) {
	attribute, ok := device.Attributes[resourceapi.QualifiedName(qualified[len(c.Driver)+1:])]
	return attribute, ok
}

// matcher evaluates CEL selectors like the real scheduler.
type matcher struct{ cache *cel.Cache }

func newMatcher() matcher { return matcher{cel.NewCache(100, cel.Features{})} }

// all reports whether a device satisfies all selectors of a request. As in the
// real scheduler, an expression that fails is an error. Tests of specs have no
// such expressions, so it panics.
func (m matcher) all(driver string, selectors []resourceapi.DeviceSelector, device resourceapi.Device) bool {
	for _, selector := range selectors {
		compiled := m.cache.GetOrCompile(selector.CEL.Expression)
		if compiled.Error != nil {
			panic(fmt.Sprintf("fake cluster: selector %s: %v", selector.CEL.Expression, compiled.Error))
		}
		ok, _, err := compiled.DeviceMatches(context.Background(), cel.Device{Driver: driver, Attributes: device.Attributes, Capacity: device.Capacity})
		if err != nil {
			panic(fmt.Sprintf("fake cluster: selector %s of device %s: %v", selector.CEL.Expression, device.Name, err))
		}
		if !ok {
			return false
		}
	}
	return true
}
