// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"pgregory.net/rapid"

	"github.com/draconform/draconform/allocator/internal/testkit/check"
	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/gen"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// sameAnswer compares the subject with Kubernetes on each node. Where
// Kubernetes times out, the answer of the subject is verified by Judge.
func sameAnswer(p *problem.Problem) error {
	for i, node := range p.Nodes {
		want, got := kubernetes(p, i), ours(p, i)
		err := diff.Difference(want, got)
		if want.Class == diff.TimedOut {
			err = diff.Judge(p, node, got)
		}
		if err != nil {
			return fmt.Errorf("node %s: %w", node.Name, err)
		}
	}
	return nil
}

func TestSameAnswerAsKubernetes(t *testing.T) {
	find(t, gen.Config{}, sameAnswer)
}

func TestSameAnswerAsKubernetesAfterALongSearch(t *testing.T) {
	find(t, gen.Config{Hard: true}, sameAnswer)
}

func TestSameAnswerAsKubernetesWithDefaultFeatures(t *testing.T) {
	find(t, gen.Config{Beta: true}, sameAnswer)
}

func TestSameAnswerAsKubernetesForInvalidObjects(t *testing.T) {
	find(t, gen.Config{Wild: true}, sameAnswer)
}

// FuzzAllocate lets the fuzzer search for problems with different answers.
func FuzzAllocate(f *testing.F) {
	problems := gen.Config{Wild: true}.Problem()
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		if err := sameAnswer(problems.Draw(t, "problem")); err != nil {
			t.Fatal(err)
		}
	}))
}

// The stable variant tries pools in random order, so only whether there is a
// fit can be compared.
func TestStableKubernetesFitsTheSame(t *testing.T) {
	find(t, gen.Config{Beta: true, Tidy: true}, func(p *problem.Problem) error {
		p = p.Clone()
		leaveOutWhatStableIgnores(p)
		for i, node := range p.Nodes {
			got := ours(p, i)
			want := diff.Run(diff.WithStepLimit(context.Background(), steps), diff.Stable, p, node)
			if want.Err != nil || got.Err != nil {
				// Which error occurs first depends on the order.
				continue
			}
			if want.Class != got.Class {
				return fmt.Errorf("node %s: want %s, got %s", node.Name, want, got)
			}
			if want.Class == diff.Fit {
				if err := check.Results(p, node, want.Results); err != nil {
					return fmt.Errorf("node %s: the result of the stable variant breaks the rules: %w", node.Name, err)
				}
			}
		}
		return nil
	})
}

func leaveOutWhatStableIgnores(p *problem.Problem) {
	p.Features = &problem.Features{AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true}
	for _, claim := range p.Claims {
		devices := &claim.Spec.Devices
		devices.Constraints = slices.DeleteFunc(devices.Constraints, func(c resourceapi.DeviceConstraint) bool { return c.DistinctAttribute != nil })
		for i := range devices.Requests {
			if e := devices.Requests[i].Exactly; e != nil {
				e.Capacity = nil
			}
			for j := range devices.Requests[i].FirstAvailable {
				devices.Requests[i].FirstAvailable[j].Capacity = nil
			}
		}
	}
	for _, slice := range p.Slices {
		for i := range slice.Spec.Devices {
			slice.Spec.Devices[i].BindingConditions, slice.Spec.Devices[i].BindsToNode, slice.Spec.Devices[i].AllowMultipleAllocations = nil, nil, nil
		}
	}
}

func TestResultsFollowTheRules(t *testing.T) {
	find(t, gen.Config{Tiny: true}, func(p *problem.Problem) error {
		for i, node := range p.Nodes {
			if err := diff.Judge(p, node, ours(p, i)); err != nil {
				return fmt.Errorf("node %s: %w", node.Name, err)
			}
		}
		return nil
	})
}

func TestInputsAreNotModified(t *testing.T) {
	findBoth(t, gen.Config{}, func(p *problem.Problem) error {
		state, before, stateBefore := p.State(), p.Clone(), p.State()
		allocator := newSubject(p, state, p.Allocated)
		for _, node := range p.Nodes {
			diff.Allocate(diff.WithStepLimit(context.Background(), steps), allocator, p, node)
		}
		if !reflect.DeepEqual(before, p) || !reflect.DeepEqual(stateBefore, state) {
			return errors.New("the allocator modified its input")
		}
		return nil
	})
}

// What an allocator caches between nodes must not change an answer.
func TestNodesDoNotInfluenceEachOther(t *testing.T) {
	findBoth(t, gen.Config{}, func(p *problem.Problem) error {
		allocator := newSubject(p, p.State(), p.Allocated)
		for range 2 {
			for i, node := range p.Nodes {
				if err := diff.Difference(ours(p, i), answer(allocator, p, i)); err != nil {
					return fmt.Errorf("node %s: %w", node.Name, err)
				}
			}
		}
		return nil
	})
}
