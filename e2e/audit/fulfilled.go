package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/dynamic-resource-allocation/cel"
)

// asked is a request without alternatives, or an alternative of a request.
type asked struct {
	// name is what results call it.
	name      string
	selectors []resourceapi.DeviceSelector
	mode      resourceapi.DeviceAllocationMode
	count     int64
}

// alternativesOf are the ways to satisfy a request, the preferred ones first.
// The result of an alternative is for "<request>/<subrequest>" (KEP-4816).
func alternativesOf(request resourceapi.DeviceRequest) []asked {
	if e := request.Exactly; e != nil {
		return []asked{{request.Name, e.Selectors, e.AllocationMode, max(e.Count, 1)}}
	}
	var all []asked
	for _, s := range request.FirstAvailable {
		all = append(all, asked{request.Name + "/" + s.Name, s.Selectors, s.AllocationMode, max(s.Count, 1)})
	}
	return all
}

// Unfulfilled returns what a claim asks for and was not allocated: devices that
// are not there or that nothing asks for, that a request does not select, or
// that break a matchAttribute constraint. Of alternatives one is fulfilled;
// which of them is not looked at, nor are devices that no slice offers.
func (inv *Inventory) Unfulfilled(ctx context.Context, claim *resourceapi.ResourceClaim) []string {
	devices := map[string][]DeviceID{} // by request
	var names []string
	if claim.Status.Allocation != nil {
		for _, r := range claim.Status.Allocation.Devices.Results {
			devices[r.Request] = append(devices[r.Request], DeviceID{r.Driver, r.Pool, r.Device})
			names = append(names, r.Request)
		}
	}
	var problems []string
	known := map[string]bool{}
	for _, request := range claim.Spec.Devices.Requests {
		alternatives := alternativesOf(request)
		for _, a := range alternatives {
			known[a.name] = true
		}
		problems = append(problems, inv.unsatisfied(ctx, request.Name, alternatives, devices)...)
	}
	for _, name := range names {
		if !known[name] {
			problems = append(problems, fmt.Sprintf("device %s is for request %s, which the claim does not have", devices[name][0], name))
			known[name] = true // Once is enough.
		}
	}
	for _, constraint := range claim.Spec.Devices.Constraints {
		problems = append(problems, inv.broken(constraint, claim)...)
	}
	return problems
}

// unsatisfied returns what is wrong with the devices of one request.
func (inv *Inventory) unsatisfied(ctx context.Context, request string, alternatives []asked, devices map[string][]DeviceID) []string {
	taken := slices.DeleteFunc(slices.Clone(alternatives), func(a asked) bool { return len(devices[a.name]) == 0 })
	switch {
	case len(taken) > 1:
		return []string{fmt.Sprintf("request %s has devices for several of its alternatives: %s and %s", request, taken[0].name, taken[1].name)}
	case len(taken) == 0 && len(alternatives) != 1:
		return []string{fmt.Sprintf("request %s has no devices for any of its alternatives", request)}
	case len(taken) == 0:
		taken = alternatives
	}
	got := devices[taken[0].name]
	var problems []string
	if want := taken[0].count; taken[0].mode != resourceapi.DeviceAllocationModeAll && int64(len(got)) != want {
		problems = append(problems, fmt.Sprintf("request %s has %d devices, not %d", taken[0].name, len(got), want))
	}
	for _, id := range got {
		problems = append(problems, inv.unselected(ctx, taken[0], id)...)
	}
	return problems
}

// unselected returns a request's selectors that do not accept a device.
func (inv *Inventory) unselected(ctx context.Context, request asked, id DeviceID) []string {
	device, ok := inv.devices[id]
	if !ok {
		return nil
	}
	var problems []string
	for _, selector := range request.selectors {
		if selector.CEL == nil {
			continue
		}
		// Features of newer releases do not change what an expression means.
		compiled := cel.GetCompiler(cel.Features{EnableConsumableCapacity: true}).CompileCELExpression(selector.CEL.Expression, cel.Options{DisableCostEstimation: true})
		if compiled.Error != nil {
			problems = append(problems, fmt.Sprintf("selector of request %s: %v", request.name, compiled.Error))
			continue
		}
		matches, _, err := compiled.DeviceMatches(ctx, cel.Device{
			Driver: id.Driver, AllowMultipleAllocations: device.AllowMultipleAllocations, Attributes: device.Attributes, Capacity: device.Capacity,
		})
		switch {
		case err != nil:
			problems = append(problems, fmt.Sprintf("selector of request %s on device %s: %v", request.name, id, err))
		case !matches:
			problems = append(problems, fmt.Sprintf("request %s has device %s, which its selector does not accept: %s", request.name, id, selector.CEL.Expression))
		}
	}
	return problems
}

// broken returns how devices of a claim break a matchAttribute constraint.
func (inv *Inventory) broken(constraint resourceapi.DeviceConstraint, claim *resourceapi.ResourceClaim) []string {
	if constraint.MatchAttribute == nil || claim.Status.Allocation == nil {
		return nil
	}
	name := string(*constraint.MatchAttribute)
	var problems []string
	var first *DeviceID
	for _, r := range claim.Status.Allocation.Devices.Results {
		id := DeviceID{r.Driver, r.Pool, r.Device}
		request, _, _ := strings.Cut(r.Request, "/")
		if _, known := inv.devices[id]; !known || len(constraint.Requests) > 0 && !slices.Contains(constraint.Requests, request) && !slices.Contains(constraint.Requests, r.Request) {
			continue
		}
		value, ok := inv.attribute(id, name)
		if !ok {
			problems = append(problems, fmt.Sprintf("device %s lacks the attribute %s, which must match", id, name))
			continue
		}
		if first == nil {
			first = &id
			continue
		}
		if want, _ := inv.attribute(*first, name); !equality.Semantic.DeepEqual(value, want) {
			problems = append(problems, fmt.Sprintf("devices %s and %s differ in the attribute %s, which must match", *first, id, name))
		}
	}
	return problems
}
