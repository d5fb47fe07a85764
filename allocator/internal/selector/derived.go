// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"context"
	"sync"

	"k8s.io/dynamic-resource-allocation/cel"

	"github.com/draconform/draconform/allocator/internal/pools"
)

// Derived is an attribute that a request computes with CEL (DRADerivedAttributes).
type Derived struct {
	memo       *Memo
	expression string

	once     sync.Once
	compiled cel.CompilationResult
}

type derivedResults struct {
	mu      sync.Mutex
	results map[int]derivedResult
}

type derivedResult struct {
	value Value
	err   error
}

// CompileError returns why the expression cannot be used, or nil if it can.
func (d *Derived) CompileError() error {
	d.once.Do(func() { d.compiled = d.memo.cache.GetOrCompileDerivedAttribute(d.expression) })
	if d.compiled.Error == nil {
		return nil
	}
	return d.compiled.Error
}

// Value returns the attribute of device i of a slice. It must not be called for an expression that does not compile.
// Errors that are caused by the context are not cached.
func (d *Derived) Value(ctx context.Context, slice *pools.Slice, i int) (Value, error) {
	column := slice.Column(d, func() any { return &derivedResults{results: map[int]derivedResult{}} }).(*derivedResults)
	column.mu.Lock()
	defer column.mu.Unlock()
	if known, ok := column.results[i]; ok {
		return known.value, known.err
	}
	attribute, _, err := d.compiled.EvaluateDerivedAttribute(ctx, input(slice.API.Spec.Driver, &slice.API.Spec.Devices[i]))
	if err != nil && ctx.Err() != nil {
		return Value{}, err
	}
	result := derivedResult{err: err}
	if err == nil && attribute != nil {
		result.value = d.memo.value(attribute)
	}
	column.results[i] = result
	return result.value, result.err
}
