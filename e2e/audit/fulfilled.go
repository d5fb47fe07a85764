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

// Unfulfilled returns what a claim asks for and was not allocated: devices that
// are not there, that a request does not select, or that break a matchAttribute
// constraint. Devices that no slice offers are not looked at, nor are requests
// with alternatives.
func (inv *Inventory) Unfulfilled(ctx context.Context, claim *resourceapi.ResourceClaim) []string {
	devices := map[string][]DeviceID{} // by request
	if claim.Status.Allocation != nil {
		for _, r := range claim.Status.Allocation.Devices.Results {
			devices[r.Request] = append(devices[r.Request], DeviceID{r.Driver, r.Pool, r.Device})
		}
	}
	var problems []string
	for _, request := range claim.Spec.Devices.Requests {
		if request.Exactly == nil {
			continue
		}
		got := devices[request.Name]
		if want := max(request.Exactly.Count, 1); request.Exactly.AllocationMode != resourceapi.DeviceAllocationModeAll && int64(len(got)) != want {
			problems = append(problems, fmt.Sprintf("request %s has %d devices, not %d", request.Name, len(got), want))
		}
		for _, id := range got {
			problems = append(problems, inv.unselected(ctx, request, id)...)
		}
	}
	for _, constraint := range claim.Spec.Devices.Constraints {
		problems = append(problems, inv.broken(constraint, claim)...)
	}
	return problems
}

// unselected returns a request's selectors that do not accept a device.
func (inv *Inventory) unselected(ctx context.Context, request resourceapi.DeviceRequest, id DeviceID) []string {
	device, ok := inv.devices[id]
	if !ok {
		return nil
	}
	var problems []string
	for _, selector := range request.Exactly.Selectors {
		if selector.CEL == nil {
			continue
		}
		// Features of newer releases do not change what an expression means.
		compiled := cel.GetCompiler(cel.Features{EnableConsumableCapacity: true}).CompileCELExpression(selector.CEL.Expression, cel.Options{DisableCostEstimation: true})
		if compiled.Error != nil {
			problems = append(problems, fmt.Sprintf("selector of request %s: %v", request.Name, compiled.Error))
			continue
		}
		matches, _, err := compiled.DeviceMatches(ctx, cel.Device{
			Driver: id.Driver, AllowMultipleAllocations: device.AllowMultipleAllocations, Attributes: device.Attributes, Capacity: device.Capacity,
		})
		switch {
		case err != nil:
			problems = append(problems, fmt.Sprintf("selector of request %s on device %s: %v", request.Name, id, err))
		case !matches:
			problems = append(problems, fmt.Sprintf("request %s has device %s, which its selector does not accept: %s", request.Name, id, selector.CEL.Expression))
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
