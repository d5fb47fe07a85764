package audit

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// asked is a request without subrequests, or a subrequest.
type asked struct {
	// name is the name that allocation results use.
	name        string
	class       string
	selectors   []resourceapi.DeviceSelector
	all         bool
	count       int64
	admin       bool
	tolerations []resourceapi.DeviceToleration
	// capacity are the requested capacities by name.
	capacity *resourceapi.CapacityRequirements
	derived  []resourceapi.DeviceDerivedAttribute
}

// alternativesOf returns the ways to satisfy a request in the order of
// preference. The result of a subrequest has the name "<request>/<subrequest>"
// (KEP-4816).
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

// askedOf returns the requests of a claim and their subrequests, by the names
// in allocation results.
func askedOf(claim *resourceapi.ResourceClaim) map[string]asked {
	all := map[string]asked{}
	for _, request := range claim.Spec.Devices.Requests {
		for _, a := range alternativesOf(request) {
			all[a.name] = a
		}
	}
	return all
}
