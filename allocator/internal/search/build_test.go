// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/allocator/internal/search"
	"github.com/draconform/draconform/allocator/internal/selector"
)

var allFeatures = structured.Features{
	AdminAccess: true, CompatibilityGroups: true, ConsumableCapacity: true, DerivedAttributes: true, DeviceBindingAndStatus: true,
	DeviceTaints: true, FractionalCapacityRange: true, ListTypeAttributes: true, OptionalNodeOperations: true,
	PartitionableDevices: true, PrioritizedList: true,
}

// world is a node with slices, and claims for its devices.
type world struct {
	slices []*resourceapi.ResourceSlice
	claims []*resourceapi.ResourceClaim
	state  structured.AllocatedState
	// features are all features if nil.
	features *structured.Features
}

// anyClass is the class for all devices. In addition, classes has one class per driver, with the name of the driver.
const anyClass = "any"

type classes struct{}

func (classes) List() ([]*resourceapi.DeviceClass, error) { return nil, nil }

func (classes) Get(name string) (*resourceapi.DeviceClass, error) {
	class := &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if name == anyClass {
		return class, nil
	}
	class.Spec.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %q", name)}}}
	return class, nil
}

// pool adds a pool of the driver with one slice of devices and, if there are counter sets, one slice of counter
// sets.
func (w *world) pool(driver string, sets []resourceapi.CounterSet, devices ...resourceapi.Device) {
	add := func(name string, fill func(*resourceapi.ResourceSliceSpec)) {
		slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: driver + name}}
		slice.Spec = resourceapi.ResourceSliceSpec{Driver: driver, NodeName: ptr.To("node"),
			Pool: resourceapi.ResourcePool{Name: "pool", ResourceSliceCount: 1}}
		if len(sets) > 0 {
			slice.Spec.Pool.ResourceSliceCount = 2
		}
		fill(&slice.Spec)
		w.slices = append(w.slices, slice)
	}
	add("-devices", func(spec *resourceapi.ResourceSliceSpec) { spec.Devices = devices })
	if len(sets) > 0 {
		add("-counters", func(spec *resourceapi.ResourceSliceSpec) { spec.SharedCounters = sets })
	}
}

// behind adds a pool of other devices that comes first, if there are any.
func (w *world) behind(n int) {
	if n > 0 {
		w.pool("before", nil, devices(n)...)
	}
}

// devices returns n devices, changed by each of the functions.
func devices(n int, change ...func(i int, d *resourceapi.Device)) []resourceapi.Device {
	list := make([]resourceapi.Device, n)
	for i := range list {
		list[i].Name = fmt.Sprintf("dev-%d", i)
		for _, f := range change {
			f(i, &list[i])
		}
	}
	return list
}

func attribute(name string, value func(i int) string) func(int, *resourceapi.Device) {
	return func(i int, d *resourceapi.Device) {
		if d.Attributes == nil {
			d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
		}
		d.Attributes[resourceapi.QualifiedName(name)] = resourceapi.DeviceAttribute{StringValue: ptr.To(value(i))}
	}
}

func consumes(set func(i int) string, counters map[string]string) func(int, *resourceapi.Device) {
	return func(i int, d *resourceapi.Device) {
		d.ConsumesCounters = append(d.ConsumesCounters, resourceapi.DeviceCounterConsumption{CounterSet: set(i), Counters: quantities(counters)})
	}
}

func shared(capacity string) func(int, *resourceapi.Device) {
	return func(_ int, d *resourceapi.Device) {
		d.AllowMultipleAllocations = ptr.To(true)
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"slots": {Value: resource.MustParse(capacity)}}
	}
}

func counterSet(name string, counters map[string]string) resourceapi.CounterSet {
	return resourceapi.CounterSet{Name: name, Counters: quantities(counters)}
}

func quantities(counters map[string]string) map[string]resourceapi.Counter {
	out := map[string]resourceapi.Counter{}
	for name, value := range counters {
		out[name] = resourceapi.Counter{Value: resource.MustParse(value)}
	}
	return out
}

func always(s string) func(int) string { return func(int) string { return s } }

// claim adds a claim and returns it for further changes.
func (w *world) claim(requests ...resourceapi.DeviceRequest) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("claim-%d", len(w.claims))}}
	for i := range requests {
		requests[i].Name = fmt.Sprintf("r%d", i)
	}
	claim.Spec.Devices.Requests = requests
	w.claims = append(w.claims, claim)
	return claim
}

func exactly(class string, count int64, change ...func(*resourceapi.ExactDeviceRequest)) resourceapi.DeviceRequest {
	r := resourceapi.DeviceRequest{Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
	}}
	for _, f := range change {
		f(r.Exactly)
	}
	return r
}

func all(class string) resourceapi.DeviceRequest {
	return exactly(class, 0, func(r *resourceapi.ExactDeviceRequest) { r.AllocationMode = resourceapi.DeviceAllocationModeAll })
}

func firstAvailable(alternatives ...resourceapi.DeviceRequest) resourceapi.DeviceRequest {
	var r resourceapi.DeviceRequest
	for i := range alternatives {
		e := alternatives[i].Exactly
		r.FirstAvailable = append(r.FirstAvailable, resourceapi.DeviceSubRequest{
			Name: fmt.Sprintf("s%d", i), DeviceClassName: e.DeviceClassName, AllocationMode: e.AllocationMode, Count: e.Count,
			Selectors: e.Selectors, Capacity: e.Capacity,
		})
	}
	return r
}

func selecting(expression string) func(*resourceapi.ExactDeviceRequest) {
	return func(r *resourceapi.ExactDeviceRequest) {
		r.Selectors = append(r.Selectors, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}})
	}
}

func repeat(n int, r func() resourceapi.DeviceRequest) []resourceapi.DeviceRequest {
	list := make([]resourceapi.DeviceRequest, n)
	for i := range list {
		list[i] = r()
	}
	return list
}

func match(name string) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(name))}
}

func distinct(name string) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{DistinctAttribute: ptr.To(resourceapi.FullyQualifiedName(name))}
}

// run searches and returns the names of the devices, or nil if there is no fit.
func (w *world) run(t *testing.T, limits search.Limits) (devices []string, stats search.Stats, err error) {
	t.Helper()
	return run(w.problem(t), limits)
}

func run(problem *search.Problem, limits search.Limits) (devices []string, stats search.Stats, err error) {
	answer, found, stats, err := search.Run(context.Background(), problem, limits)
	if !found || err != nil {
		return nil, stats, err
	}
	return deviceNames(problem, answer), stats, nil
}

// problem returns the search problem for the claims on the node.
func (w *world) problem(t *testing.T) *search.Problem {
	t.Helper()
	features := allFeatures
	if w.features != nil {
		features = *w.features
	}
	cache := cel.NewCache(100, cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: features.ListTypeAttributes})
	memo := selector.NewMemo(cache, features.ListTypeAttributes)
	p := &search.Problem{
		Plan: plan.New(features, classes{}, memo, w.claims), Features: features,
		Allocated: search.NewAllocated(search.UsageOf(w.state), features, search.Fixes{}),
	}
	w.setNode(t, p, "node")
	return p
}

// setNode changes the problem to that of another node.
func (w *world) setNode(t *testing.T, p *search.Problem, node string) {
	t.Helper()
	g := NewWithT(t)
	view, err := pools.NewInventory(pools.Settings{Features: allFeatures}, w.slices, nil).Node(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}})
	g.Expect(err).NotTo(HaveOccurred())
	p.Node = view
}

func deviceNames(p *search.Problem, answer search.Answer) []string {
	devices := []string{}
	for _, pick := range answer.Picks {
		word := &p.Node.Words[pick.Position/64]
		devices = append(devices, word.Slice.API.Spec.Devices[word.First+pick.Position%64].Name)
	}
	return devices
}

func capacityOf(slots string) map[resourceapi.QualifiedName]resource.Quantity {
	return map[resourceapi.QualifiedName]resource.Quantity{"slots": resource.MustParse(slots)}
}
