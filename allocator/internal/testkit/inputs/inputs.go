// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package inputs builds allocation problems of realistic size: some that a
// backtracking search cannot finish, and common ones.
package inputs

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// Input is a named problem. The outcome is the same on each of its nodes.
type Input struct {
	Name string
	// Class is the correct outcome on each node.
	Class diff.Class
	// Build returns the problem. It takes a while for thousands of nodes.
	Build func() *problem.Problem
}

// Driver and Class are the driver and the class of most inputs.
const (
	Driver = "gpu.example.com"
	Class  = "any"
)

// devices returns n devices that differ only in their names. change, if not
// nil, sets more fields.
func devices(n int, change func(i int, device *resourceapi.Device)) []resourceapi.Device {
	list := make([]resourceapi.Device, n)
	for i := range list {
		list[i].Name = fmt.Sprintf("device-%03d", i)
		if change != nil {
			change(i, &list[i])
		}
	}
	return list
}

// slice returns a complete pool of one slice, local to a node.
func slice(node, pool string, list []resourceapi.Device) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: pool + "-devices"}}
	s.Spec.Driver, s.Spec.NodeName, s.Spec.Devices = Driver, ptr.To(node), list
	s.Spec.Pool = resourceapi.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1}
	return s
}

// partitioned returns a pool with its counters in one slice, and as many
// additional slices as the devices need.
func partitioned(node, pool string, sets []resourceapi.CounterSet, list []resourceapi.Device) []*resourceapi.ResourceSlice {
	counters := slice(node, pool, nil)
	counters.Name = pool + "-counters"
	counters.Spec.SharedCounters = sets
	all := []*resourceapi.ResourceSlice{counters}
	for part := range slices.Chunk(list, resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures) {
		s := slice(node, pool, part)
		s.Name = fmt.Sprintf("%s-devices-%d", pool, len(all))
		all = append(all, s)
	}
	for _, s := range all {
		s.Spec.Pool.ResourceSliceCount = int64(len(all))
	}
	return all
}

func counterSet(name string, counters map[string]string) resourceapi.CounterSet {
	return resourceapi.CounterSet{Name: name, Counters: amounts(counters)}
}

func consumption(set string, counters map[string]string) resourceapi.DeviceCounterConsumption {
	return resourceapi.DeviceCounterConsumption{CounterSet: set, Counters: amounts(counters)}
}

func amounts(values map[string]string) map[string]resourceapi.Counter {
	counters := map[string]resourceapi.Counter{}
	for name, value := range values {
		counters[name] = resourceapi.Counter{Value: resource.MustParse(value)}
	}
	return counters
}

// request requests count devices that the selectors select.
func request(name string, count int64, selectors ...string) resourceapi.DeviceRequest {
	exactly := &resourceapi.ExactDeviceRequest{DeviceClassName: Class, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count}
	for _, expression := range selectors {
		exactly.Selectors = append(exactly.Selectors, selector(expression))
	}
	return resourceapi.DeviceRequest{Name: name, Exactly: exactly}
}

func selector(expression string) resourceapi.DeviceSelector {
	return resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}
}

// repeated returns n requests for one device each.
func repeated(n int, selectors ...string) []resourceapi.DeviceRequest {
	var requests []resourceapi.DeviceRequest
	for i := range n {
		requests = append(requests, request(fmt.Sprintf("request-%d", i), 1, selectors...))
	}
	return requests
}

func claim(name string, requests ...resourceapi.DeviceRequest) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)}}
	c.Spec.Devices.Requests = requests
	return c
}

func matching(c *resourceapi.ResourceClaim, attribute resourceapi.FullyQualifiedName) *resourceapi.ResourceClaim {
	c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: &attribute}}
	return c
}

func distinct(c *resourceapi.ResourceClaim, attribute resourceapi.FullyQualifiedName) *resourceapi.ResourceClaim {
	c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{{DistinctAttribute: &attribute}}
	return c
}

// holding returns a claim that holds devices of a pool.
func holding(name, pool string, names ...string) *resourceapi.ResourceClaim {
	c := claim(name)
	c.Status.Allocation = &resourceapi.AllocationResult{}
	for _, device := range names {
		c.Status.Allocation.Devices.Results = append(c.Status.Allocation.Devices.Results,
			resourceapi.DeviceRequestAllocationResult{Request: "request", Driver: Driver, Pool: pool, Device: device})
	}
	return c
}

// nodeName returns the name of a node by its number.
func nodeName(i int) string {
	return fmt.Sprintf("node-%04d", i)
}

// on returns the problem of allocating the claims on nodes with the slices.
func on(nodes int, published []*resourceapi.ResourceSlice, claims ...*resourceapi.ResourceClaim) *problem.Problem {
	p := &problem.Problem{Slices: published, Claims: claims}
	p.Classes = []*resourceapi.DeviceClass{{
		ObjectMeta: metav1.ObjectMeta{Name: Class},
		Spec:       resourceapi.DeviceClassSpec{Selectors: []resourceapi.DeviceSelector{selector(`device.driver == "` + Driver + `"`)}},
	}}
	for i := range nodes {
		name := nodeName(i)
		p.Nodes = append(p.Nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}})
	}
	return p
}

func str(value string) resourceapi.DeviceAttribute {
	return resourceapi.DeviceAttribute{StringValue: &value}
}
