package diff_test

import (
	"fmt"
	"testing"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/check"
	"github.com/draconform/draconform/allocator/internal/diff"
	"github.com/draconform/draconform/allocator/internal/gen"
	"github.com/draconform/draconform/allocator/internal/oracle"
	"github.com/draconform/draconform/allocator/internal/problem"
)

// Kubernetes knows nothing of sharing affinity, so that here the checker and
// the oracle are all there is to compare with.

func TestAnswersWithSharingAffinityAreTheFirst(t *testing.T) {
	fits, others, matters := 0, 0, 0
	find(t, gen.Config{Tiny: true, Affinity: true}, func(p *problem.Problem) error {
		plain := p.Clone()
		plain.SharingAffinity = false
		for i, node := range p.Nodes {
			outcome := ours(p, i)
			if err := diff.Judge(p, node, outcome); err != nil {
				return fmt.Errorf("node %s: %w", node.Name, err)
			}
			if _, err := oracle.First(p, node, 1000); err != nil {
				continue
			}
			switch outcome.Class {
			case diff.Fit:
				fits++
			case diff.NoFit:
				others++
			default:
			}
			if diff.Difference(ours(plain, i), outcome) != nil {
				matters++
			}
		}
		return nil
	})
	t.Logf("%d fits and %d others were compared, in %d of them the affinity matters", fits, others, matters)
	if !t.Failed() && (fits < 100 || others < 100 || matters < 60) {
		t.Error("too few were compared to say that they are")
	}
}

func TestResultsWithSharingAffinityFollowTheRules(t *testing.T) {
	for name, config := range map[string]gen.Config{"usual": {Affinity: true}, "hard": {Affinity: true, Hard: true}} {
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

// What was allocated is what the next claim finds: results say enough to
// know the values again.
func TestClaimsOneAfterTheOtherFollowTheRules(t *testing.T) {
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

// Other devices come first with packing, so that which error is met first
// differs, but not whether there is a fit.
func TestPackingFitsTheSame(t *testing.T) {
	packed := 0
	find(t, gen.Config{Affinity: true, Tidy: true}, func(p *problem.Problem) error {
		for i, node := range p.Nodes {
			want, got := ours(p, i), answer(newPacking(p), p, i)
			if got.Class == diff.Fit {
				if err := check.Results(p, node, got.Results); err != nil {
					return fmt.Errorf("node %s: %s breaks the rules: %w", node.Name, got, err)
				}
			}
			if want.Err != nil || got.Err != nil {
				continue
			}
			if want.Class != got.Class {
				return fmt.Errorf("node %s: want %s, got %s", node.Name, want, got)
			}
			if diff.Difference(want, got) != nil {
				packed++
			}
		}
		return nil
	})
	t.Logf("packing chose other devices %d times", packed)
	if !t.Failed() && packed == 0 {
		t.Error("packing changed nothing, which says nothing")
	}
}

// Who does not know the claims knows no values: all devices in use are as if
// their claims stated nothing.
func TestUnknownHoldersStateNothing(t *testing.T) {
	find(t, gen.Config{Affinity: true}, func(p *problem.Problem) error {
		legacy := p.Clone()
		for _, claim := range legacy.Allocated {
			claim.Status.Allocation.Devices.Config = nil
		}
		for i, node := range p.Nodes {
			if err := diff.Difference(ours(legacy, i), answer(newSubject(p, p.State(), nil), p, i)); err != nil {
				return fmt.Errorf("node %s: %w", node.Name, err)
			}
		}
		return nil
	})
}
