// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite/simulated"
)

// pools are the ResourceSlices of the pools of a node, by the name of the pool.
type pools map[string][]resourceapi.ResourceSliceSpec

// loadPools reads pools from a file. The driver, the node and the number of
// slices are set later. Devices without attributes get their name as an
// attribute, so that [fixture.RequestFor] can select them.
func loadPools(file string) pools {
	var read pools
	load(file, &read)
	for _, parts := range read {
		for _, part := range parts {
			for i := range part.Devices {
				if device := &part.Devices[i]; device.Attributes == nil {
					device.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"name": {StringValue: &device.Name}}
				}
			}
		}
	}
	return read
}

// publish publishes the pools on a node.
func (p pools) publish(ctx context.Context, s *simulated.Nodes, node string) {
	ginkgo.GinkgoHelper()
	for _, name := range slices.Sorted(maps.Keys(p)) {
		s.CreateSlices(ctx, p.slices(name, node, 1)...)
	}
}

// slices returns the ResourceSlices of one pool in a generation.
func (p pools) slices(pool, node string, generation int64) []resourceapi.ResourceSliceSpec {
	specs := make([]resourceapi.ResourceSliceSpec, 0, len(p[pool]))
	for _, part := range p[pool] {
		spec := *part.DeepCopy()
		spec.NodeName = &node
		spec.Pool = resourceapi.ResourcePool{Name: node + "-" + pool, Generation: generation, ResourceSliceCount: int64(len(p[pool]))}
		specs = append(specs, spec)
	}
	return specs
}
