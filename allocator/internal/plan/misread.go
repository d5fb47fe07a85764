// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"
	"sync"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/internal/fault"
)

// firstVersions are the classes that firstVersion was called with first, by name.
var firstVersions sync.Map

// firstVersion returns a class as it was when a claim first requested a class of this name, as a fault sees it.
func firstVersion(class *resourceapi.DeviceClass) *resourceapi.DeviceClass {
	first, _ := firstVersions.LoadOrStore(class.Name, class)
	return first.(*resourceapi.DeviceClass)
}

// mistake changes an alternative that faults take for an earlier one of the same name: a
// subrequest for one of another list, or a request for one of another claim.
func (c *compiler) mistake(a *Alternative, api *resourceapi.ExactDeviceRequest) {
	isSubrequest := a.Name != a.Result
	for i := range c.plan.Alternatives {
		earlier := &c.plan.Alternatives[i]
		if isSubrequest {
			if fault.ToleratesBySubrequestName && earlier.Claim == a.Claim && earlier.Name == a.Name {
				a.Tolerations = earlier.Tolerations
			}
			continue
		}
		if earlier.Claim == a.Claim || earlier.Result != a.Result {
			continue
		}
		exactly := c.plan.Requests[earlier.Request].API.Exactly
		if fault.TakesRequestsForTheSame {
			*api = *exactly
		}
		if fault.TakesCapacityOfFirstClaim {
			api.Capacity = exactly.Capacity
		}
	}
}

// withoutList returns the name of a subrequest without that of its request, as a fault compares it.
func withoutList(name string) string {
	_, sub, _ := strings.Cut(name, "/")
	return sub
}
