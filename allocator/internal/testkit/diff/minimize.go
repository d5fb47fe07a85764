// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff

import (
	"encoding/json"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// Minimize removes as many fields and list items from a problem as possible, as
// long as fails returns true for it.
func Minimize(p *problem.Problem, fails func(*problem.Problem) bool) *problem.Problem {
	data, err := json.Marshal(p)
	if err != nil {
		return p
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		return p
	}
	try := func() bool {
		smaller, err := fromTree(tree)
		return err == nil && failsSafely(smaller, fails)
	}
	for shrunk := true; shrunk; {
		tree, shrunk = shrink(tree, func(any) {}, try)
	}
	smallest, err := fromTree(tree)
	if err != nil || !failsSafely(smallest, fails) {
		return p
	}
	return smallest
}

// failsSafely returns false if fails panics. Allocators may panic on a problem
// that is no longer valid.
func failsSafely(p *problem.Problem, fails func(*problem.Problem) bool) (failed bool) {
	defer func() {
		if recover() != nil {
			failed = false
		}
	}()
	return fails(p)
}

func fromTree(tree any) (*problem.Problem, error) {
	data, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	p := &problem.Problem{}
	return p, json.Unmarshal(data, p)
}

// shrink removes parts of a node of the tree for which try still returns true.
// It returns the remainder and whether anything was removed. set replaces the
// node by another value.
func shrink(node any, set func(any), try func() bool) (any, bool) {
	switch node := node.(type) {
	case []any:
		return shrinkList(node, set, try)
	case map[string]any:
		return node, shrinkMap(node, try)
	default:
		return node, false
	}
}

func shrinkList(list []any, set func(any), try func() bool) ([]any, bool) {
	shrunk := false
	for i := len(list) - 1; i >= 0; i-- {
		without := slices.Delete(slices.Clone(list), i, i+1)
		if set(without); try() {
			list, shrunk = without, true
			continue
		}
		set(list)
		item, less := shrink(list[i], func(value any) { list[i] = value }, try)
		list[i] = item
		shrunk = shrunk || less
	}
	return list, shrunk
}

// needed are fields without which an object is invalid.
var needed = sets.New("name", "metadata", "spec", "driver", "pool", "generation", "resourceSliceCount",
	"deviceClassName", "allocationMode", "count", "uid", "cel", "expression", "value", "nodes", "claims", "request", "device")

func shrinkMap(fields map[string]any, try func() bool) bool {
	shrunk := false
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value := fields[name]
		if needed.Has(name) {
			less, did := shrink(value, func(other any) { fields[name] = other }, try)
			fields[name] = less
			shrunk = shrunk || did
			continue
		}
		if delete(fields, name); try() {
			shrunk = true
			continue
		}
		fields[name] = value
		less, did := shrink(value, func(other any) { fields[name] = other }, try)
		fields[name] = less
		shrunk = shrunk || did
	}
	return shrunk
}
