// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// scenario is a history that can be produced with or without a fault.
type scenario struct {
	rule   audit.Rule
	config audit.Config
	build  func(wrong bool) *history
	// want is the alarm that the fault raises.
	want string
}

// either returns ifWrong in a scenario with the fault and ifRight otherwise.
func either[T any](wrong bool, ifWrong, ifRight T) T {
	if wrong {
		return ifWrong
	}
	return ifRight
}

type requests = []resourceapi.DeviceRequest

func all() resourceapi.DeviceRequest {
	r := request("request", 0)
	r.Exactly.AllocationMode, r.Exactly.Count = resourceapi.DeviceAllocationModeAll, 0
	return r
}

func wants(memory string) resourceapi.DeviceRequest {
	r := request("request", 1)
	r.Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: quantities("memory", memory)}
	return r
}

func admin() resourceapi.DeviceRequest {
	r := request("request", 1)
	r.Exactly.AdminAccess = ptr.To(true)
	return r
}

func distinctParent() resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{DistinctAttribute: ptr.To[resourceapi.FullyQualifiedName](driver + "/parent")}
}

func stated(attributes string) string { return string(states(attributes).Opaque.Parameters.Raw) }

func forAdminOf(is bool) func(*resourceapi.DeviceRequestAllocationResult) {
	return func(r *resourceapi.DeviceRequestAllocationResult) {
		if is {
			r.AdminAccess = ptr.To(true)
		}
	}
}

// divided returns node n1's pool with counters of its own devices.
func divided(all ...resourceapi.Device) resourceapi.ResourceSlice {
	s := local(all...)
	gpu(&s.Spec)
	return s
}

// demanding returns a slice with the shared device a, whose holders must state
// the affinity value for net/subnet.
func demanding() resourceapi.ResourceSlice {
	s := local(device("a", shared))
	s.Annotations = map[string]string{"draconform.dev/sharing-affinity": `{"a":{"attributeKeys":["net/subnet"]}}`}
	return s
}
