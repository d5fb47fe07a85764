// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package inputs

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// spreadNodes is the number of nodes that a scheduler filters for a pod in a cluster of medium size.
const spreadNodes = 100

// EveryNode returns the inputs of Everyday for a pod with many candidate nodes. What is local to one node is repeated
// on each node, with different names.
func EveryNode() []Input {
	list := Everyday()
	for i := range list {
		build := list[i].Build
		list[i].Build = func() *problem.Problem { return spread(build(), spreadNodes) }
	}
	return list
}

func spread(p *problem.Problem, nodes int) *problem.Problem {
	if p.Slices[0].Spec.NodeName == nil {
		return p
	}
	all := on(nodes, nil, p.Claims...)
	all.Features, all.Classes = p.Features, p.Classes
	for _, node := range all.Nodes {
		for _, slice := range p.Slices {
			copied := slice.DeepCopy()
			copied.Name = node.Name + "-" + slice.Name
			copied.Spec.Pool.Name = poolOn(node.Name, slice.Spec.Pool.Name)
			*copied.Spec.NodeName = node.Name
			all.Slices = append(all.Slices, copied)
		}
		all.Allocated = append(all.Allocated, spreadHolders(p.Allocated, node.Name)...)
	}
	return all
}

func spreadHolders(claims []*resourceapi.ResourceClaim, node string) []*resourceapi.ResourceClaim {
	var list []*resourceapi.ResourceClaim
	for _, claim := range claims {
		copied := claim.DeepCopy()
		copied.Name = node + "-" + claim.Name
		for i := range copied.Status.Allocation.Devices.Results {
			result := &copied.Status.Allocation.Devices.Results[i]
			result.Pool = poolOn(node, result.Pool)
		}
		list = append(list, copied)
	}
	return list
}

func poolOn(node, pool string) string { return node + "-" + pool }
