package audit

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// asked is a request without alternatives, or an alternative of a request.
type asked struct {
	// name is what results call it.
	name        string
	class       string
	selectors   []resourceapi.DeviceSelector
	all         bool
	count       int64
	admin       bool
	tolerations []resourceapi.DeviceToleration
	// capacity is what is asked of a device's capacities, by their names.
	capacity *resourceapi.CapacityRequirements
	derived  []resourceapi.DeviceDerivedAttribute
}

// alternativesOf are the ways to satisfy a request, the preferred ones first.
// The result of an alternative is for "<request>/<subrequest>" (KEP-4816).
func alternativesOf(request resourceapi.DeviceRequest) []asked {
	if e := request.Exactly; e != nil {
		return []asked{{
			name: request.Name, class: e.DeviceClassName, selectors: e.Selectors, count: max(e.Count, 1),
			all: e.AllocationMode == resourceapi.DeviceAllocationModeAll, admin: ptr.Deref(e.AdminAccess, false),
			tolerations: e.Tolerations, capacity: e.Capacity, derived: e.DerivedAttributes,
		}}
	}
	var all []asked
	for _, s := range request.FirstAvailable {
		all = append(all, asked{
			name: request.Name + "/" + s.Name, class: s.DeviceClassName, selectors: s.Selectors, count: max(s.Count, 1),
			all:         s.AllocationMode == resourceapi.DeviceAllocationModeAll,
			tolerations: s.Tolerations, capacity: s.Capacity, derived: s.DerivedAttributes,
		})
	}
	return all
}

// askedOf are the requests of a claim and their alternatives, as results name
// them.
func askedOf(claim *resourceapi.ResourceClaim) map[string]asked {
	all := map[string]asked{}
	for _, request := range claim.Spec.Devices.Requests {
		for _, a := range alternativesOf(request) {
			all[a.name] = a
		}
	}
	return all
}
