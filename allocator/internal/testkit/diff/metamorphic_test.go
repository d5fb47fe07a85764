// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/gen"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// metamorphic is a change of a problem that does not affect the answer, or
// affects it in a known way.
type metamorphic struct {
	name   string
	change func(p *problem.Problem)
	// undo converts the changed answer to the original one.
	undo func(results []resourceapi.AllocationResult)
	// except is an answer that may change.
	except diff.Class
}

var metamorphics = []metamorphic{
	{name: "the order of slices does not matter", change: func(p *problem.Problem) { slices.Reverse(p.Slices) }},
	{name: "names of pools matter by their order only", change: func(p *problem.Problem) { renamePools(p, "x") }, undo: restorePools},
	{name: "pools of other nodes do not matter", change: addPoolElsewhere},
	{name: "claims on other nodes do not matter", change: func(p *problem.Problem) {
		addPoolElsewhere(p)
		allocateElsewhere(p)
	}},
	{name: "unused classes do not matter", change: func(p *problem.Problem) {
		unused := p.Classes[0].DeepCopy()
		unused.Name = "unused"
		p.Classes = append(p.Classes, unused)
	}},
	{name: "alternatives without matching devices do not matter", change: addImpossibleAlternative, except: "exceeds the claim limit of"},
	{name: "older generations do not matter", change: addOlderGeneration},
}

func TestMetamorphic(t *testing.T) {
	for _, m := range metamorphics {
		t.Run(m.name, func(t *testing.T) {
			findBoth(t, gen.Config{Tidy: true}, func(p *problem.Problem) error {
				changed := p.Clone()
				m.change(changed)
				for i, node := range p.Nodes {
					want, got := ours(p, i), ours(changed, i)
					if m.undo != nil {
						m.undo(got.Results)
					}
					if want.Class == diff.TimedOut || got.Class == diff.TimedOut || want.Class == m.except {
						continue
					}
					if err := diff.Difference(want, got); err != nil {
						return fmt.Errorf("node %s: %w", node.Name, err)
					}
				}
				return nil
			})
		})
	}
}

// Removing an allocated claim never removes a solution.
func TestReleasedDevicesNeverPreventAFit(t *testing.T) {
	findBoth(t, gen.Config{Tidy: true}, func(p *problem.Problem) error {
		freed := p.Clone()
		freed.Allocated = freed.Allocated[:len(freed.Allocated)-min(1, len(freed.Allocated))]
		for i, node := range p.Nodes {
			if want, got := ours(p, i), ours(freed, i); want.Class == diff.Fit && got.Class == diff.NoFit {
				return fmt.Errorf("node %s: %s, but %s with one claim less", node.Name, want, got)
			}
		}
		return nil
	})
}

func renamePools(p *problem.Problem, prefix string) {
	for _, slice := range p.Slices {
		slice.Spec.Pool.Name = prefix + slice.Spec.Pool.Name
	}
	for _, claim := range p.Allocated {
		for i := range claim.Status.Allocation.Devices.Results {
			result := &claim.Status.Allocation.Devices.Results[i]
			result.Pool = prefix + result.Pool
		}
	}
}

func restorePools(results []resourceapi.AllocationResult) {
	for _, claim := range results {
		for i := range claim.Devices.Results {
			claim.Devices.Results[i].Pool = claim.Devices.Results[i].Pool[1:]
		}
	}
}

func addPoolElsewhere(p *problem.Problem) {
	var more []*resourceapi.ResourceSlice
	for _, slice := range p.Slices {
		slice = slice.DeepCopy()
		slice.Name += "-elsewhere"
		slice.Spec.Pool.Name = "a-" + slice.Spec.Pool.Name
		slice.Spec.NodeSelector, slice.Spec.AllNodes = nil, nil
		slice.Spec.NodeName = ptr.To("elsewhere")
		if slice.Spec.PerDeviceNodeSelection != nil {
			slice.Spec.NodeName = nil
			for i := range slice.Spec.Devices {
				device := &slice.Spec.Devices[i]
				device.NodeName, device.AllNodes, device.NodeSelector = ptr.To("elsewhere"), nil, (*corev1.NodeSelector)(nil)
			}
		}
		more = append(more, slice)
	}
	p.Slices = append(more, p.Slices...)
}

func allocateElsewhere(p *problem.Problem) {
	claim := &resourceapi.ResourceClaim{}
	claim.Status.Allocation = &resourceapi.AllocationResult{}
	for _, slice := range p.Slices {
		for _, device := range slice.Spec.Devices {
			if slice.Spec.Pool.Name[:2] == "a-" {
				claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results,
					resourceapi.DeviceRequestAllocationResult{Driver: slice.Spec.Driver, Pool: slice.Spec.Pool.Name, Device: device.Name})
			}
		}
	}
	p.Allocated = append(p.Allocated, claim)
}

func addImpossibleAlternative(p *problem.Problem) {
	for _, claim := range p.Claims {
		for i := range claim.Spec.Devices.Requests {
			request := &claim.Spec.Devices.Requests[i]
			if len(request.FirstAvailable) == 0 {
				continue
			}
			impossible := resourceapi.DeviceSubRequest{
				Name: "impossible", DeviceClassName: "any", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1,
				Selectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: `device.driver == "none"`}}},
			}
			request.FirstAvailable = slices.Insert(request.FirstAvailable, 0, impossible)
		}
	}
}

func addOlderGeneration(p *problem.Problem) {
	for _, slice := range slices.Clone(p.Slices) {
		older := slice.DeepCopy()
		older.Name = "0-" + older.Name
		older.Spec.Pool.Generation--
		p.Slices = append(p.Slices, older)
	}
}
