package check

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// Ask is what a request, or one alternative of a request, requires.
type Ask struct {
	name        string // as in results: request, or request/subrequest
	parent      string // the name of the request
	class       *resourceapi.DeviceClass
	selectors   []resourceapi.DeviceSelector // of class and request
	all         bool
	count       int64
	admin       bool
	tolerations []resourceapi.DeviceToleration
	capacity    *resourceapi.CapacityRequirements
	derived     []resourceapi.DeviceDerivedAttribute
	stated      *statement // about sharing affinity
}

// alternatives returns the asks of a request: one, or one for each subrequest.
// A class that does not exist is nil.
func (r *Rules) alternatives(request resourceapi.DeviceRequest) []*Ask {
	if e := request.Exactly; e != nil {
		return []*Ask{r.withClass(e.DeviceClassName, e.Selectors, &Ask{
			name: request.Name, parent: request.Name,
			all: e.AllocationMode == resourceapi.DeviceAllocationModeAll, count: e.Count,
			admin: ptr.Deref(e.AdminAccess, false), tolerations: e.Tolerations, capacity: e.Capacity, derived: e.DerivedAttributes,
		})}
	}
	var asks []*Ask
	for _, s := range request.FirstAvailable {
		asks = append(asks, r.withClass(s.DeviceClassName, s.Selectors, &Ask{
			name: request.Name + "/" + s.Name, parent: request.Name,
			all: s.AllocationMode == resourceapi.DeviceAllocationModeAll, count: s.Count,
			tolerations: s.Tolerations, capacity: s.Capacity, derived: s.DerivedAttributes,
		}))
	}
	return asks
}

func (r *Rules) withClass(name string, selectors []resourceapi.DeviceSelector, ask *Ask) *Ask {
	for _, class := range r.problem.Classes {
		if class.Name == name {
			ask.class = class
			ask.selectors = append(ask.selectors, class.Spec.Selectors...)
		}
	}
	ask.selectors = append(ask.selectors, selectors...)
	return ask
}

// named reports whether a list of requests, of a constraint or a configuration,
// includes the ask: by the name of the request, which includes all its
// alternatives, or by the name of the alternative.
func (a *Ask) named(requests []string) bool {
	for _, name := range requests {
		if name == a.name || name == a.parent {
			return true
		}
	}
	return false
}
