// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
)

// nodeNames excludes nodes without devices from the scheduling attempt.
func (a *attempt) nodeNames(published *published) (*fwk.PreFilterResult, *fwk.Status) {
	if !a.needsDevices() {
		return nil, nil
	}
	switch {
	case published.nodes == nil:
		return nil, nil
	case published.nodes.Len() == 0:
		return nil, unschedulable("%s: no node has devices", cannotAllocate)
	default:
		return &fwk.PreFilterResult{NodeNames: published.nodes.Clone()}, nil
	}
}

// nodesWithDevices returns the nodes that slices name. No other node can serve a pod that needs at least one device.
// It returns nil, which means all nodes, if a device is available on nodes that are not named.
func nodesWithDevices(slices []*resourceapi.ResourceSlice) sets.Set[string] {
	names := sets.New[string]()
	for _, slice := range slices {
		spec := &slice.Spec
		switch {
		case len(spec.Devices) == 0:
		case spec.NodeName != nil:
			names.Insert(*spec.NodeName)
		case spec.PerDeviceNodeSelection != nil && *spec.PerDeviceNodeSelection:
			for i := range spec.Devices {
				if spec.Devices[i].NodeName == nil {
					return nil
				}
				names.Insert(*spec.Devices[i].NodeName)
			}
		default:
			return nil
		}
	}
	return names
}

// needsDevices reports whether the pod needs at least one device of a slice on any node. It returns false for pods
// with allocated claims: Filter checks those for each node and records for PostFilter which claims the node cannot
// use. It also returns false for extended resources, which device plugins may provide.
func (a *attempt) needsDevices() bool {
	if a.extended != nil || len(a.unallocated()) < len(a.claims) {
		return false
	}
	for _, c := range a.claims {
		if len(c.object.Spec.Devices.Requests) > 0 {
			return true
		}
	}
	return false
}
