// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/fault"
)

// AllocatedState returns what the allocated claims hold, as kube-scheduler collects it: results with admin access
// hold nothing; a result with a share ID holds a share of its device and consumes capacity, if the feature is
// enabled; any other result holds the whole device.
func (o *Objects) AllocatedState(features structured.Features) structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, claim := range o.Claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for i := range claim.Status.Allocation.Devices.Results {
			result := &claim.Status.Allocation.Devices.Results[i]
			device := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			switch {
			case ptr.Deref(result.AdminAccess, false) && !fault.AdminHoldsDevices:
			case features.ConsumableCapacity && result.ShareID != nil:
				state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(device, result.ShareID))
				if result.ConsumedCapacity != nil {
					state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(device, result.ConsumedCapacity))
				}
			default:
				state.AllocatedDevices.Insert(device)
			}
		}
	}
	return state
}

// ClassLister returns the classes in the form that the allocator requires.
func (o *Objects) ClassLister() structured.DeviceClassLister { return lister(o.Classes) }

type lister []*resourceapi.DeviceClass

func (l lister) List() ([]*resourceapi.DeviceClass, error) { return l, nil }

func (l lister) Get(name string) (*resourceapi.DeviceClass, error) {
	i := slices.IndexFunc(l, func(class *resourceapi.DeviceClass) bool { return class.Name == name })
	if i < 0 {
		return nil, apierrors.NewNotFound(resourceapi.Resource("deviceclasses"), name)
	}
	return l[i], nil
}

// AllNodes returns the nodes as read. If there are none, it returns one node for each nodeName of a slice or a
// device, sorted by name. These nodes have no labels except their hostname.
func (o *Objects) AllNodes() []*corev1.Node {
	if len(o.Nodes) > 0 {
		return o.Nodes
	}
	names := sets.New[string]()
	for _, slice := range o.Slices {
		insert(names, slice.Spec.NodeName)
		for i := range slice.Spec.Devices {
			insert(names, slice.Spec.Devices[i].NodeName)
		}
	}
	var nodes []*corev1.Node
	for _, name := range slices.Sorted(maps.Keys(names)) {
		nodes = append(nodes, NamedNode(name))
	}
	return nodes
}

func insert(names sets.Set[string], name *string) {
	if name != nil && *name != "" {
		names.Insert(*name)
	}
}

// NamedNode returns a node of which only the name is known.
func NamedNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}}
}

// Pending returns the claims that are not allocated, in the order in which they were read.
func (o *Objects) Pending() []*resourceapi.ResourceClaim {
	var pending []*resourceapi.ResourceClaim
	for _, claim := range o.Claims {
		if claim.Status.Allocation == nil {
			pending = append(pending, claim)
		}
	}
	return pending
}
