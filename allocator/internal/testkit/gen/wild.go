// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"math"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// wild makes one change that an API server does not admit, or that only an API
// server of another version admits.
func (d *draw) wild() {
	if d.chance("wrong slice", 50) {
		d.wrongSlice(pick(d, "wrong slice", d.p.Slices...))
		return
	}
	claim := pick(d, "wrong claim", d.p.Claims...)
	request := &claim.Spec.Devices.Requests[d.number("wrong request", 0, len(claim.Spec.Devices.Requests)-1)]
	if request.Exactly == nil {
		request.FirstAvailable, request.Exactly = nil, d.exact(true)
	}
	switch pick(d, "wrong in claim", "constraint", "two kinds", "unknown request", "request") {
	case "constraint":
		claim.Spec.Devices.Constraints = append(claim.Spec.Devices.Constraints, resourceapi.DeviceConstraint{})
	case "two kinds":
		attribute := ptr.To[resourceapi.FullyQualifiedName]("gpu.example.com/numa")
		claim.Spec.Devices.Constraints = append(claim.Spec.Devices.Constraints, resourceapi.DeviceConstraint{MatchAttribute: attribute, DistinctAttribute: attribute})
	case "unknown request":
		claim.Spec.Devices.Constraints = append(claim.Spec.Devices.Constraints, resourceapi.DeviceConstraint{
			Requests: []string{"unknown"}, MatchAttribute: ptr.To(pick[resourceapi.FullyQualifiedName](d, "name", "gpu.example.com/none", "unqualified")),
		})
	default:
		d.wrongRequest(request.Exactly)
	}
}

func (d *draw) wrongRequest(request *resourceapi.ExactDeviceRequest) {
	setCapacity := func(amount string) {
		request.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"bandwidth": resource.MustParse(amount)}}
	}
	switch pick(d, "wrong in request", "mode", "count", "class", "no class", "selector", "negative", "huge", "tiny", "toleration") {
	case "mode":
		request.AllocationMode = "Some"
	case "count":
		request.AllocationMode = resourceapi.DeviceAllocationModeExactCount
		request.Count = pick[int64](d, "wrong count", 0, math.MaxInt64, math.MaxInt64-1)
	case "class":
		request.DeviceClassName = "missing"
	case "no class":
		request.DeviceClassName = ""
	case "selector":
		request.Selectors = append(request.Selectors, resourceapi.DeviceSelector{})
	case "negative":
		setCapacity("-1")
	case "huge":
		setCapacity(pick(d, "huge amount", "9223372036854775807", "9E", "100E"))
	case "tiny":
		setCapacity(pick(d, "tiny amount", "1u", "0", "1500u"))
	case "toleration":
		request.Tolerations = append(request.Tolerations, resourceapi.DeviceToleration{Operator: "Near"}, resourceapi.DeviceToleration{Key: "example.com/sick", Value: "yes"})
	}
}

func (d *draw) wrongSlice(slice *resourceapi.ResourceSlice) {
	terms := func(n int, operator corev1.NodeSelectorOperator) *corev1.NodeSelector {
		term := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "rack", Operator: operator, Values: []string{"r"}}}}
		selector := &corev1.NodeSelector{}
		for range n {
			selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, term)
		}
		return selector
	}
	switch pick(d, "wrong in slice", "count", "place", "terms", "operator", "device", "both places") {
	case "count":
		slice.Spec.Pool.ResourceSliceCount = pick[int64](d, "wrong count of slices", 0, -1, 1, 2)
	case "place":
		slice.Spec.NodeName, slice.Spec.AllNodes, slice.Spec.NodeSelector = nil, nil, nil
	case "terms":
		slice.Spec.NodeName, slice.Spec.AllNodes, slice.Spec.NodeSelector = nil, nil, terms(d.below("terms", 3), corev1.NodeSelectorOpIn)
	case "operator":
		slice.Spec.NodeName, slice.Spec.AllNodes, slice.Spec.NodeSelector = nil, nil, terms(1, "Near")
	case "both places":
		slice.Spec.NodeName, slice.Spec.AllNodes = ptr.To("n0"), ptr.To(true)
	case "device":
		if len(slice.Spec.Devices) > 0 {
			d.wrongDevice(&slice.Spec.Devices[d.number("wrong device", 0, len(slice.Spec.Devices)-1)])
		}
	}
}

func (d *draw) wrongDevice(device *resourceapi.Device) {
	numa := resourceapi.QualifiedName("numa")
	if device.Attributes == nil {
		device.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
	}
	switch pick(d, "wrong in device", "attribute", "version", "empty list", "capacity", "default", "counter", "effect", "two names") {
	case "attribute":
		device.Attributes[numa] = resourceapi.DeviceAttribute{}
	case "version":
		device.Attributes[numa] = resourceapi.DeviceAttribute{VersionValue: ptr.To("one")}
	case "empty list":
		device.Attributes[numa] = resourceapi.DeviceAttribute{IntValues: []int64{}, IntValue: ptr.To[int64](1)}
	case "two names":
		device.Attributes[numa] = resourceapi.DeviceAttribute{IntValue: ptr.To[int64](0)}
		device.Attributes["gpu.example.com/numa"] = resourceapi.DeviceAttribute{IntValue: ptr.To[int64](1)}
	case "capacity":
		device.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"bandwidth": {Value: resource.MustParse(pick(d, "wrong capacity", "-1", "100E", "1u"))}}
	case "default":
		device.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"bandwidth": {Value: resource.MustParse("10"), RequestPolicy: ranged(pick(d, "wrong default", "5", "-1", "2000m"), "1", "3", "1")}}
	case "counter":
		for i := range device.ConsumesCounters {
			device.ConsumesCounters[i].Counters["memory"] = resourceapi.Counter{Value: resource.MustParse(pick(d, "wrong counter", "-1Gi", "100E", "1u"))}
		}
	case "effect":
		device.Taints = append(device.Taints, resourceapi.DeviceTaint{Key: "example.com/sick", Effect: "Near"})
	}
}
