// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package search finds the first allocation in the documented order of devices, or proves that none exists.
//
// An allocation is a sequence of choices. For each request in order, it contains an alternative. For each device of
// the request, it contains a position in the device order of the node, ascending within a request. The first
// allocation is the lexicographically smallest sequence that violates no rule. Run first enumerates the sequences
// and evaluates only what it needs, because the first sequences usually lead to a solution. If they do not, it
// evaluates everything and starts again with prunings. Each pruning skips only sequences without a solution.
//
// Prunings may skip a device whose evaluation fails, and with it an error that the plain walk would return. So they
// are used only if no evaluation can fail; see canFail.
package search

import (
	"context"
	"errors"

	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/allocator/internal/selector"
)

// MaxResults is the number of devices that a claim can hold (API: AllocationResultsMaxSize).
const MaxResults = 32

// ErrBudget is returned when a search exceeds its limit of steps.
var ErrBudget = errors.New("the search for devices exceeds its limit of steps")

// Problem is the input of a search: the claims, the node and the state of the cluster.
type Problem struct {
	Plan      *plan.Plan
	Node      *pools.Node
	Allocated *Allocated
	Features  structured.Features
	Fixes     Fixes
	// Affinity is the sharing affinity of devices. Nil ignores it.
	Affinity *Affinity
	// SkipsNodeOperations states that the node supports devices without node operations of their driver.
	SkipsNodeOperations bool
	// Memory caches answers. It must be used with a single allocated state, set of features and set of limits. Nil
	// disables caching.
	Memory *Memory
}

// Fixes are deviations from upstream that correct known bugs.
type Fixes struct {
	AdminAccessIgnoresCounters bool
	AllConflictIsNoFit         bool
	LiveShareBlocksDedicated   bool
	PoolErrorsStayOnNode       bool
}

// Limits bound a search.
type Limits struct {
	// Steps is the maximum number of choices.
	Steps int
	// Skip disables prunings, for tests.
	Skip Pruning
	// PruneAtOnce skips the plain walks, for tests.
	PruneAtOnce bool
}

// Answer is an allocation.
type Answer struct {
	// Alternatives is the alternative chosen for each request.
	Alternatives []int
	// Picks are the devices in the order of requests.
	Picks []Pick
}

// Pick is one device of an allocation.
type Pick struct {
	Alternative int
	Position    int // Word number times 64 plus bit.
	// Shared states that the device allows multiple allocations.
	Shared bool
	// Use is the capacity that the pick consumes of a shared device.
	Use *selector.Use
}

// Stats describes the cost of a search.
type Stats struct {
	// Steps is the number of choices.
	Steps int
}

// Run solves the problem and does not keep a reference to it. found is false if there is no allocation. The answer
// is valid only if found is true. Errors are those that upstream returns for the same node, ErrBudget, and the error
// of the context.
func Run(ctx context.Context, problem *Problem, limits Limits) (answer Answer, found bool, stats Stats, err error) {
	s := newSearcher(ctx, problem, limits)
	defer s.release()
	o, err := s.remembered()
	return o.answer, o.found && err == nil, Stats{Steps: s.steps}, err
}
