// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// claims draws n claims that are allocated together.
func (d *draw) claims(name string, n int) []*resourceapi.ResourceClaim {
	var claims []*resourceapi.ResourceClaim
	for i := range n {
		id := fmt.Sprintf("%s-%d", name, i)
		claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: id, UID: types.UID(id)}}
		for j := range d.number("requests", 1, d.number("most requests", 1, d.size(3, 2, 4))) {
			claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, d.request(fmt.Sprintf("r%d", j)))
		}
		names := requestNames(claim.Spec.Devices.Requests)
		if d.topic.constraints {
			for range d.number("constraints", 0, 2) {
				claim.Spec.Devices.Constraints = append(claim.Spec.Devices.Constraints, d.constraint(names))
			}
		}
		if d.topic.configuration {
			for j := range d.number("configurations", 0, 2) {
				claim.Spec.Devices.Config = append(claim.Spec.Devices.Config, resourceapi.DeviceClaimConfiguration{
					Requests: d.some(names), DeviceConfiguration: d.opaque(fmt.Sprintf("%s-%d", id, j)),
				})
			}
		}
		if d.config.Affinity {
			d.state(&claim.Spec.Devices)
		}
		claims = append(claims, claim)
	}
	return claims
}

func (d *draw) request(name string) resourceapi.DeviceRequest {
	request := resourceapi.DeviceRequest{Name: name}
	if d.topic.alternatives && d.chance("alternatives", 55) {
		for i := range d.number("subrequests", 1, d.size(3, 2, 3)) {
			exact := d.exact(false)
			request.FirstAvailable = append(request.FirstAvailable, resourceapi.DeviceSubRequest{
				Name: fmt.Sprintf("s%d", i), DeviceClassName: exact.DeviceClassName, Selectors: exact.Selectors,
				AllocationMode: exact.AllocationMode, Count: exact.Count, Tolerations: exact.Tolerations,
				Capacity: exact.Capacity, DerivedAttributes: exact.DerivedAttributes,
			})
		}
		return request
	}
	request.Exactly = d.exact(true)
	return request
}

// exact draws the contents of a request. Only a request, not a subrequest, can
// have admin access.
func (d *draw) exact(admin bool) *resourceapi.ExactDeviceRequest {
	request := &resourceapi.ExactDeviceRequest{
		DeviceClassName: pick(d, "class", "any", "any", "any", "gpu", "gpu", "model-a"),
		AllocationMode:  resourceapi.DeviceAllocationModeExactCount, Count: 1,
	}
	if d.config.Affinity && d.chance("any class", 75) {
		request.DeviceClassName = "any"
	}
	switch {
	case d.topic.all && d.chance("all", 30):
		request.AllocationMode, request.Count = resourceapi.DeviceAllocationModeAll, 0
	case d.chance("several", d.affine(d.size(30, 30, 65), 15)):
		request.Count = int64(d.crowded(d.number("count", 2, d.size(4, 3, 7))))
	case !d.config.Tidy && d.chance("many", 4):
		request.Count = int64(d.number("count", 16, 40))
	}
	if admin && d.topic.admin && d.chance("admin", 40) {
		request.AdminAccess = ptr.To(!d.chance("explicitly not admin", 15))
	}
	if d.topic.selectors && d.chance("selector", 40) {
		request.Selectors = d.selectors()
	}
	if d.topic.taints && d.chance("tolerations", 50) {
		request.Tolerations = d.tolerations()
	}
	if d.topic.sharing && d.chance("capacity", d.affine(60, 85)) {
		request.Capacity = d.requirements()
	}
	if d.topic.derived && d.chance("derived", 50) {
		request.DerivedAttributes = d.derivedAttributes()
	}
	return request
}

func (d *draw) tolerations() []resourceapi.DeviceToleration {
	key := pick(d, "tolerated", "example.com/sick", "example.com/old", "")
	operator := resourceapi.DeviceTolerationOpExists
	value := ""
	if key != "" && d.chance("equal", 40) {
		operator, value = resourceapi.DeviceTolerationOpEqual, pick(d, "tolerated value", "", "yes")
	}
	effect := pick(d, "tolerated effect", "", resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNoExecute)
	return []resourceapi.DeviceToleration{{Key: key, Operator: operator, Value: value, Effect: effect}}
}

func (d *draw) requirements() *resourceapi.CapacityRequirements {
	requests := map[resourceapi.QualifiedName]resource.Quantity{}
	if d.chance("bandwidth", 80) {
		requests["bandwidth"] = d.amount("requested bandwidth", "", "1", "2", "3", "3500m", "5")
	}
	if d.chance("slots", d.affine(20, 5)) {
		requests[resourceapi.QualifiedName(pick(d, "driver of slots", drivers...)+"/slots")] = resource.MustParse("1")
	}
	return &resourceapi.CapacityRequirements{Requests: requests}
}

func (d *draw) constraint(names []string) resourceapi.DeviceConstraint {
	attribute := ptr.To(pick[resourceapi.FullyQualifiedName](d, "attribute",
		"gpu.example.com/numa", "gpu.example.com/numa", "gpu.example.com/numa", "gpu.example.com/model", "gpu.example.com/model", "example.com/numa", "nic.example.com/numa", "derived/key", "gpu.example.com/version"))
	constraint := resourceapi.DeviceConstraint{Requests: d.some(names)}
	if d.chance("distinct", 35) {
		constraint.DistinctAttribute = attribute
	} else {
		constraint.MatchAttribute = attribute
	}
	return constraint
}

// some draws a list of the names. It is often empty, which means all.
func (d *draw) some(names []string) []string {
	if d.chance("all requests", 55) {
		return nil
	}
	var some []string
	for _, name := range names {
		if d.chance("this request", 50) {
			some = append(some, name)
		}
	}
	return some
}

// requestNames returns the names that constraints and configurations can refer
// to.
func requestNames(requests []resourceapi.DeviceRequest) []string {
	var names []string
	for _, request := range requests {
		names = append(names, request.Name)
		for _, sub := range request.FirstAvailable {
			names = append(names, request.Name+"/"+sub.Name)
		}
	}
	return names
}

func (d *draw) opaque(parameter string) resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: pick(d, "driver of configuration", drivers...), Parameters: runtime.RawExtension{Raw: fmt.Appendf(nil, `{"name":%q}`, parameter)},
	}}
}
