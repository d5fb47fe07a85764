// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/explain"
	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/search"
	"github.com/draconform/draconform/internal/fault"
)

// ErrStepsExhausted is returned when a search exceeds Config.MaxSteps. It concerns a single node, so errors that
// wrap it also wrap structured.ErrFailedAllocationOnNode.
var ErrStepsExhausted = errors.New("search for devices stopped")

// optionalNodeOperations is the declared feature of nodes that support devices without node operations of their
// driver.
const optionalNodeOperations = "DRAOptionalNodeOperations"

// Allocator allocates claims for one state of the cluster. It is safe for concurrent use.
type Allocator struct {
	config    *Config
	snapshot  snapshot
	classes   structured.DeviceClassLister
	fixes     search.Fixes
	limits    search.Limits
	allocated search.Allocated
	affinity  *search.Affinity
	memory    search.Memory
	plan      atomic.Pointer[plan.Plan]
}

var _ structured.Allocator = &Allocator{}

// NewAllocator replaces structured.NewAllocator. It takes the same arguments and returns the same results. It
// indexes the slices for this allocator only. Callers that call it more than once should keep an Index instead. The
// error is always nil.
func NewAllocator(_ context.Context, features structured.Features, allocatedState structured.AllocatedState,
	classLister structured.DeviceClassLister, slices []*resourceapi.ResourceSlice, celCache *cel.Cache,
) (structured.Allocator, error) {
	index := NewIndex(Config{Features: features, CELCache: celCache})
	index.Update(slices)
	return index.Allocator(allocatedState, classLister), nil
}

// Allocate returns one allocation for each claim such that a pod on the node can use all of them. It returns nil if
// no such allocation exists. If several exist, it returns the first in the order of devices: pools by driver and
// name with binding conditions last, slices by name, devices as listed.
//
// Errors that wrap structured.ErrFailedAllocationOnNode concern this node only. All other errors are problems of the
// claims, classes or slices, except for the error of an ended context.
//
// Claims, node, slices, classes and allocated state are not modified. The result shares memory with them.
func (a *Allocator) Allocate(ctx context.Context, node *corev1.Node, claims []*resourceapi.ResourceClaim) ([]resourceapi.AllocationResult, error) {
	var problem search.Problem
	answer, found, err := a.search(ctx, node, claims, &problem)
	if !found || err != nil {
		return nil, err
	}
	return results(&problem, &answer, node.Name)
}

// Fits returns whether Allocate would find allocations for the claims on the node. It is cheaper than Allocate
// because it skips the work that only a result needs.
func (a *Allocator) Fits(ctx context.Context, node *corev1.Node, claims []*resourceapi.ResourceClaim) (bool, error) {
	var problem search.Problem
	_, found, err := a.search(ctx, node, claims, &problem)
	return found, err
}

// Explain reports what Allocate returns for the same arguments, and why. It evaluates every device and searches
// several times, so it is meant for diagnosis. Allocate does not prepare anything for it. The explanation names the
// claims that hold devices if holders is not nil.
//
// An error of Allocate becomes a part of the explanation. Explain returns an error only if the context ends.
func (a *Allocator) Explain(ctx context.Context, node *corev1.Node, claims []*resourceapi.ResourceClaim, holders explain.Holders) (*explain.Explanation, error) {
	s := explain.Search{
		Node: node, Inventory: a.snapshot.inventory, Memo: a.snapshot.memo, Problem: &search.Problem{}, MaxSteps: a.config.MaxSteps,
	}
	answer, found, err := a.search(ctx, node, claims, s.Problem)
	if found {
		s.Answer = &answer
		_, err = results(s.Problem, &answer, node.Name)
	}
	s.Err = err
	return explain.New(ctx, s, holders)
}

// Pictures draws the counters of all pools that the node sees, with the claims that hold devices. holders may be nil. It
// returns an error if the node selectors of slices cannot be parsed.
func (a *Allocator) Pictures(node *corev1.Node, holders explain.Holders) ([]explain.Picture, error) {
	view, err := a.snapshot.inventory.Node(node)
	if err != nil {
		return nil, fmt.Errorf("gather pool information: %w", err)
	}
	return explain.Pictures(&search.Problem{Node: view, Allocated: &a.allocated, Features: a.config.Features}, holders), nil
}

// search fills in the problem and solves it. The problem stays empty if the node selectors cannot be parsed.
func (a *Allocator) search(ctx context.Context, node *corev1.Node, claims []*resourceapi.ResourceClaim, problem *search.Problem) (search.Answer, bool, error) {
	view, err := a.snapshot.inventory.Node(node)
	if err != nil {
		return search.Answer{}, false, fmt.Errorf("gather pool information: %w", err)
	}
	*problem = search.Problem{
		Plan:                a.planFor(claims),
		Node:                view,
		Allocated:           &a.allocated,
		Features:            a.config.Features,
		Fixes:               a.fixes,
		Affinity:            a.affinity,
		SkipsNodeOperations: slices.Contains(node.Status.DeclaredFeatures, optionalNodeOperations),
		Memory:              &a.memory,
	}
	answer, found, _, err := search.Run(ctx, problem, a.limits)
	switch {
	case errors.Is(err, search.ErrBudget):
		err = fmt.Errorf("node %s: %w after %d steps%w", node.Name, ErrStepsExhausted, a.config.MaxSteps, structured.ErrFailedAllocationOnNode)
	case err == nil && !found && view.Invalid && !fault.HidesInvalidPools:
		err = fmt.Errorf("invalid resource pools were encountered%w", structured.ErrFailedAllocationOnNode)
	}
	return answer, found && err == nil, err
}

// planFor compiles the claims. It reuses the last plan if that plan is for the same claims and classes.
func (a *Allocator) planFor(claims []*resourceapi.ResourceClaim) *plan.Plan {
	if p := a.plan.Load(); p != nil && p.Current(a.classes, claims) {
		return p
	}
	p := plan.New(a.config.Features, a.classes, a.snapshot.memo, claims)
	a.plan.Store(p)
	return p
}
