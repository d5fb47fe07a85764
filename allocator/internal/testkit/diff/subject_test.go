// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"context"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// subject is the allocator under test.
var subject = diff.Implementation{Name: "draconform", New: allocator.NewAllocator}

// patience is much more than the subject needs for a problem of the generator.
const patience = 20 * time.Second

// ours returns the outcome of the subject.
func ours(p *problem.Problem, node int) diff.Outcome {
	return answer(newSubject(p, p.State(), p.Allocated), p, node)
}

func answer(a structured.Allocator, p *problem.Problem, node int) diff.Outcome {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return diff.Allocate(ctx, a, p, p.Nodes[node])
}

// newSubject returns the subject, created with the signature of Kubernetes'
// allocator. If the problem has sharing affinity, the subject is created with
// the claims that hold devices instead.
func newSubject(p *problem.Problem, state structured.AllocatedState, holders []*resourceapi.ResourceClaim) structured.Allocator {
	if p.SharingAffinity {
		return withConfig(p, allocator.Config{SharingAffinity: true}, state, holders)
	}
	a, err := subject.New(context.Background(), p.Enabled(), state, p.Lister(), p.Slices, p.CELCache())
	if err != nil {
		panic(err) // Documented as unreachable.
	}
	return a
}

// newPacking returns the subject with PackSharingAffinity.
func newPacking(p *problem.Problem) structured.Allocator {
	return withConfig(p, allocator.Config{SharingAffinity: true, PackSharingAffinity: true}, p.State(), p.Allocated)
}

func withConfig(p *problem.Problem, config allocator.Config, state structured.AllocatedState, holders []*resourceapi.ResourceClaim) structured.Allocator {
	config.Features, config.CELCache = p.Enabled(), p.CELCache()
	index := allocator.NewIndex(config)
	index.Update(p.Slices)
	return index.AllocatorWithAffinity(state, allocator.NewAffinityState(holders), p.Lister())
}
