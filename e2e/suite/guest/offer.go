// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/e2e/subject/published"
)

// offer is what one driver publishes. It is empty for a driver without
// ResourceSlices.
type offer struct{ published.Driver }

// offered returns what a driver publishes. Slices of other drivers, of which a
// cluster may have many, are not looked at.
func (s *snapshot) offered(ctx context.Context, driver string) (offer, error) {
	of := state.Objects{Nodes: s.objects.Nodes}
	for _, slice := range s.objects.Slices {
		if slice.Spec.Driver == driver {
			of.Slices = append(of.Slices, slice)
		}
	}
	drivers, err := published.Drivers(ctx, &of)
	if err != nil || len(drivers) == 0 {
		return offer{}, err
	}
	return offer{*drivers[0]}, nil
}

// has reports whether the driver publishes a device on a node, also in a pool that
// schedulers do not use.
func (o offer) has(node *corev1.Node) bool {
	return slices.ContainsFunc(o.Pools, func(pool published.Pool) bool { return slices.Contains(pool.Nodes, node.Name) })
}

// allocated reports whether the results of a claim have a device of the driver on
// a node.
func (o offer) allocated(node *corev1.Node, results []resourceapi.DeviceRequestAllocationResult) bool {
	here := published.OnNode(o.Devices, node.Name)
	return slices.ContainsFunc(results, func(r resourceapi.DeviceRequestAllocationResult) bool {
		return r.Driver == o.Name && slices.ContainsFunc(here, func(d *published.Device) bool { return d.Pool == r.Pool && d.Name == r.Device })
	})
}

// unusablePools states why pools of the driver are not used.
func (o offer) unusablePools() []string {
	var all []string
	for _, pool := range o.Pools {
		if pool.Unusable != "" {
			all = append(all, fmt.Sprintf("pool %s cannot be used: %s", pool.Name, pool.Unusable))
		}
	}
	return all
}
