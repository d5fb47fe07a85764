// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/affinity"
	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/selector"
)

var allFeatures = structured.Features{
	AdminAccess: true, CompatibilityGroups: true, ConsumableCapacity: true, DerivedAttributes: true, DeviceBindingAndStatus: true,
	DeviceTaints: true, FractionalCapacityRange: true, ListTypeAttributes: true, OptionalNodeOperations: true,
	PartitionableDevices: true, PrioritizedList: true,
}

type (
	exact = resourceapi.ExactDeviceRequest
	sub   = resourceapi.DeviceSubRequest
)

// classes contains classes by name. A missing name is an error.
type classes map[string]*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return nil, nil }

func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	if class := c[name]; class != nil {
		return class, nil
	}
	return nil, fmt.Errorf("there is no class %s", name)
}

// class returns the class gpu with selectors.
func class(expressions ...string) *resourceapi.DeviceClass {
	return &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: resourceapi.DeviceClassSpec{Selectors: selectors(expressions...)}}
}

func selectors(expressions ...string) []resourceapi.DeviceSelector {
	var list []resourceapi.DeviceSelector
	for _, expression := range expressions {
		list = append(list, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}})
	}
	return list
}

func newMemo() *selector.Memo { return selector.NewMemo(cel.NewCache(10, cel.Features{}), false) }

// compile returns a plan with a single class, gpu.
func compile(features structured.Features, claims ...*resourceapi.ResourceClaim) *plan.Plan {
	return plan.New(features, classes{"gpu": class()}, newMemo(), claims)
}

func claim(name string, requests ...resourceapi.DeviceRequest) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	c.Spec.Devices.Requests = requests
	return c
}

// request returns a request for one gpu, unless a change modifies it.
func request(name string, changes ...func(*exact)) resourceapi.DeviceRequest {
	e := &exact{DeviceClassName: "gpu", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1}
	for _, f := range changes {
		f(e)
	}
	return resourceapi.DeviceRequest{Name: name, Exactly: e}
}

// prioritized returns a request with one subrequest per count, named sub-0 and so on.
func prioritized(name string, counts ...int64) resourceapi.DeviceRequest {
	r := resourceapi.DeviceRequest{Name: name}
	for i, count := range counts {
		r.FirstAvailable = append(r.FirstAvailable, sub{
			Name: fmt.Sprintf("sub-%d", i), DeviceClassName: "gpu", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
		})
	}
	return r
}

func all(e *exact) { e.AllocationMode, e.Count = resourceapi.DeviceAllocationModeAll, 0 }

// results returns the names of the alternatives as in allocation results.
func results(p *plan.Plan) []string {
	list := []string{}
	for i := range p.Alternatives {
		list = append(list, p.Alternatives[i].Result)
	}
	return list
}

// states returns a configuration that sets the affinity value of the key network.
func states(value string) resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: affinity.EntryDriver,
		Parameters: runtime.RawExtension{Raw: fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"attributes":{"network":{"string":%q}}}`,
			affinity.EntryAPIVersion, affinity.EntryKind, value)},
	}}
}
