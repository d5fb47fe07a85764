// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/blang/semver/v4"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/internal/fault"
)

// Selector is one CEL expression that selects devices.
type Selector struct {
	Expression string
	memo       *Memo
	driver     *string // Set if the expression only compares the driver with this name.

	once     sync.Once
	compiled cel.CompilationResult
}

// Results contains the evaluation results for the devices of one slice.
type Results struct {
	words []resultWord
	mu    sync.Mutex
	errs  map[int]error
}

type resultWord struct{ known, yes, failed atomic.Uint64 }

// Word returns the evaluated devices of word w of the slice, the devices that match, and the devices for which the
// evaluation failed.
func (r *Results) Word(w int) (known, yes, failed uint64) {
	word := &r.words[w]
	known = word.known.Load() // Read first: results of known devices never change.
	return known, word.yes.Load() & known, word.failed.Load() & known
}

// Results returns the results for a slice. Later evaluations update it.
func (s *Selector) Results(slice *pools.Slice) *Results {
	return slice.Column(s, func() any { return &Results{words: make([]resultWord, slice.Words())} }).(*Results)
}

// CompileError returns why the expression cannot be used, or nil if it can.
func (s *Selector) CompileError() error {
	s.once.Do(func() { s.compiled = s.memo.cache.GetOrCompile(s.Expression) })
	if s.compiled.Error == nil {
		return nil
	}
	return s.compiled.Error
}

// Matches returns whether device i of a slice matches. It must not be called for an expression that does not
// compile. Errors that are caused by the context are not cached.
func (s *Selector) Matches(ctx context.Context, slice *pools.Slice, i int) (bool, error) {
	results := s.Results(slice)
	if match, known, err := results.recall(i); known {
		return match, err
	}
	match, err := s.evaluate(ctx, slice, &slice.API.Spec.Devices[i])
	if err != nil {
		if ctx.Err() != nil {
			return false, err
		}
		results.fail(i, err)
		return false, err
	}
	results.record(i, match)
	return match, nil
}

// recall returns the result for device i, if it is known.
func (r *Results) recall(i int) (match, known bool, err error) {
	w, bit := bits.Bit(i)
	answered, yes, failed := r.Word(w)
	if failed&bit != 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		err = r.errs[i]
	}
	return yes&bit != 0, answered&bit != 0, err
}

// record stores whether device i matches.
func (r *Results) record(i int, match bool) {
	w, bit := bits.Bit(i)
	if match {
		r.words[w].yes.Or(bit)
	}
	r.words[w].known.Or(bit)
}

// fail stores that the evaluation failed for device i.
func (r *Results) fail(i int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.errs == nil {
		r.errs = map[int]error{}
	}
	r.errs[i] = err
	w, bit := bits.Bit(i)
	r.words[w].failed.Or(bit)
	r.words[w].known.Or(bit)
}

func (s *Selector) evaluate(ctx context.Context, slice *pools.Slice, device *resourceapi.Device) (bool, error) {
	driver := slice.API.Spec.Driver
	if s.driver != nil && convertible(device) {
		return driver == *s.driver, nil
	}
	match, _, err := s.compiled.DeviceMatches(ctx, input(driver, device))
	if err != nil {
		return false, cel.EnhanceRuntimeError(err)
	}
	return match, nil
}

func input(driver string, device *resourceapi.Device) cel.Device {
	if fault.ReadsShortNamesOnly || fault.IgnoresPreReleases || fault.IgnoresUnits {
		device = misread(driver, device)
	}
	return cel.Device{
		Driver:                   driver,
		AllowMultipleAllocations: device.AllowMultipleAllocations,
		Attributes:               device.Attributes,
		Capacity:                 device.Capacity,
	}
}

// convertible returns whether CEL can convert all attributes of the device. If it cannot, every expression fails for
// the device, including expressions that do not use attributes.
func convertible(device *resourceapi.Device) bool {
	for name := range device.Attributes {
		a := device.Attributes[name]
		switch {
		case a.IntValues != nil || a.BoolValues != nil || a.StringValues != nil:
		case a.VersionValues != nil:
			for _, version := range a.VersionValues {
				if _, err := semver.Parse(version); err != nil {
					return false
				}
			}
		case a.IntValue != nil || a.BoolValue != nil || a.StringValue != nil:
		case a.VersionValue != nil:
			if _, err := semver.Parse(*a.VersionValue); err != nil {
				return false
			}
		default:
			return false
		}
	}
	return true
}
