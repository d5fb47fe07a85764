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

// classes are known by name. A name that is missing is an error.
type classes map[string]*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return nil, nil }

func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	if class := c[name]; class != nil {
		return class, nil
	}
	return nil, fmt.Errorf("there is no class %s", name)
}

// class is called gpu, with selectors.
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

// compile makes a plan with one class, gpu.
func compile(features structured.Features, claims ...*resourceapi.ResourceClaim) *plan.Plan {
	return plan.New(features, classes{"gpu": class()}, newMemo(), claims)
}

func claim(name string, requests ...resourceapi.DeviceRequest) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
	c.Spec.Devices.Requests = requests
	return c
}

// request asks for one gpu, unless a change says otherwise.
func request(name string, changes ...func(*exact)) resourceapi.DeviceRequest {
	e := &exact{DeviceClassName: "gpu", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1}
	for _, f := range changes {
		f(e)
	}
	return resourceapi.DeviceRequest{Name: name, Exactly: e}
}

// prioritized has alternatives for so many devices, called sub-0 and so on.
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

// results names the alternatives the way allocation results do.
func results(p *plan.Plan) []string {
	list := []string{}
	for i := range p.Alternatives {
		list = append(list, p.Alternatives[i].Result)
	}
	return list
}

// states is configuration for sharing affinity that gives the key network a value.
func states(value string) resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: affinity.EntryDriver,
		Parameters: runtime.RawExtension{Raw: fmt.Appendf(nil, `{"apiVersion":%q,"kind":%q,"attributes":{"network":{"string":%q}}}`,
			affinity.EntryAPIVersion, affinity.EntryKind, value)},
	}}
}
