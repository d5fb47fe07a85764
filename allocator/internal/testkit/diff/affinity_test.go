// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/gen"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// Kubernetes does not implement sharing affinity, so the answers are compared
// only with the checker and the oracle.

func TestAnswersWithSharingAffinityAreTheFirst(t *testing.T) {
	for name, config := range map[string]gen.Config{"tiny": {Affinity: true, Tiny: true}, "usual": {Affinity: true}, "hard": {Affinity: true, Hard: true}} {
		t.Run(name, func(t *testing.T) {
			find(t, config, func(p *problem.Problem) error {
				for i, node := range p.Nodes {
					if err := diff.Judge(p, node, ours(p, i)); err != nil {
						return fmt.Errorf("node %s: %w", node.Name, err)
					}
				}
				return nil
			})
		})
	}
}

// The results of one claim are the existing allocations of the next. They must
// contain enough to determine the affinity values again.
func TestConsecutiveClaimsFollowTheRules(t *testing.T) {
	find(t, gen.Config{Tiny: true, Affinity: true}, func(p *problem.Problem) error {
		now := p.Clone()
		for _, claim := range p.Claims {
			now.Claims = []*resourceapi.ResourceClaim{claim}
			outcome := ours(now, 0)
			if err := diff.Judge(now, now.Nodes[0], outcome); err != nil {
				return fmt.Errorf("claim %s: %w", claim.Name, err)
			}
			if outcome.Class == diff.Fit {
				holder := claim.DeepCopy()
				holder.Status.Allocation = &outcome.Results[0]
				now.Allocated = append(now.Allocated, holder)
			}
		}
		return nil
	})
}

// Packing tries devices in a different order. So a different error may occur
// first, but whether there is a fit must be the same.
func TestPackingFitsTheSame(t *testing.T) {
	for name, config := range map[string]gen.Config{"usual": {Affinity: true, Tidy: true}, "tiny": {Affinity: true, Tidy: true, Tiny: true}} {
		t.Run(name, func(t *testing.T) {
			find(t, config, func(p *problem.Problem) error {
				for i, node := range p.Nodes {
					want, got := ours(p, i), answer(newPacking(p), p, i)
					if err := diff.JudgePacked(p, node, got); err != nil {
						return fmt.Errorf("node %s: %w", node.Name, err)
					}
					if want.Err == nil && got.Err == nil && want.Class != got.Class {
						return fmt.Errorf("node %s: want %s, got %s", node.Name, want, got)
					}
				}
				return nil
			})
		})
	}
}

// The generated problems must be such that affinity and packing make a
// difference.
func TestSharingAffinityMatters(t *testing.T) {
	g := NewWithT(t)
	const draws = 1000
	matters, packed := 0, 0
	problems := gen.Config{Affinity: true, Tiny: true}.Problem()
	for seed := range draws {
		p := problems.Example(seed)
		plain := p.Clone()
		plain.SharingAffinity = false
		want := ours(p, 0)
		if diff.Difference(ours(plain, 0), want) != nil {
			matters++
		}
		if diff.Difference(want, answer(newPacking(p), p, 0)) != nil {
			packed++
		}
	}
	t.Logf("affinity matters to %d, packing to %d", matters, packed)
	g.Expect(matters).To(BeNumerically(">=", 100))
	g.Expect(packed).To(BeNumerically(">=", 10))
}

// Without the claims, their values are unknown. All devices in use must be
// handled as if their claims had no values.
func TestUnknownHoldersHaveNoValues(t *testing.T) {
	find(t, gen.Config{Affinity: true}, func(p *problem.Problem) error {
		legacy := p.Clone()
		for _, claim := range legacy.Allocated {
			claim.Status.Allocation.Devices.Config = nil
		}
		for i, node := range p.Nodes {
			want, got := ours(legacy, i), answer(newSubject(p, p.State(), nil), p, i)
			if want.Class == diff.TimedOut || got.Class == diff.TimedOut {
				continue
			}
			if err := diff.Difference(want, got); err != nil {
				return fmt.Errorf("node %s: %w", node.Name, err)
			}
		}
		return nil
	})
}
