// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"fmt"
	"math"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/internal/fault"
)

// roundUp returns the smallest amount of the range that is not less than the request: the minimum plus a whole
// number of steps. The maximum is checked by outside.
func roundUp(requested resource.Quantity, r *resourceapi.CapacityRequestPolicyRange, fractional bool) (resource.Quantity, error) {
	if requested.Cmp(*r.Min) < 0 {
		return r.Min.DeepCopy(), nil
	}
	if r.Step == nil {
		return requested, nil
	}
	if inMilli(r, fractional) {
		return roundUpMilli(requested, r)
	}
	if requested.CmpInt64(math.MaxInt64) > 0 {
		return resource.Quantity{}, fmt.Errorf("%w: request %s exceeds MaxInt64", errNotRepresentable, requested.String())
	}
	lowest, step := r.Min.Value(), r.Step.Value()
	if step == 0 {
		// API servers before Kubernetes 1.37 did not validate this.
		return resource.Quantity{}, fmt.Errorf("%w: the step is zero", errNotRepresentable)
	}
	steps := stepsAbove(requested.Value(), lowest, step)
	if lowest >= 0 && steps > (math.MaxInt64-lowest)/step {
		return resource.Quantity{}, fmt.Errorf("%w: rounding request %s up to the next step passes MaxInt64", errNotRepresentable, requested.String())
	}
	return *resource.NewQuantity(lowest+step*steps, r.Step.Format), nil
}

func roundUpMilli(requested resource.Quantity, r *resourceapi.CapacityRequestPolicyRange) (resource.Quantity, error) {
	milli, exact := milliValue(requested)
	if !exact {
		return resource.Quantity{}, fmt.Errorf("%w: request %s is not a representable milli value", errNotRepresentable, requested.String())
	}
	lowest, step := r.Min.MilliValue(), r.Step.MilliValue()
	steps := stepsAbove(milli, lowest, step)
	if steps > (math.MaxInt64-lowest)/step {
		return resource.Quantity{}, fmt.Errorf("%w: rounding request %s up to the next step passes the milli-value range", errNotRepresentable, requested.String())
	}
	milli = lowest + step*steps
	if milli%1000 == 0 {
		return *resource.NewQuantity(milli/1000, r.Step.Format), nil
	}
	return *resource.NewMilliQuantity(milli, r.Step.Format), nil
}

func stepsAbove(value, lowest, step int64) int64 {
	steps := (value - lowest) / step
	if (value-lowest)%step != 0 {
		steps++
	}
	return steps
}

// outside returns whether an amount is above the maximum or between two steps.
func outside(amount resource.Quantity, r *resourceapi.CapacityRequestPolicyRange, fractional bool) bool {
	if r.Max != nil && amount.Cmp(*r.Max) > 0 && (r.Step != nil || !fault.IgnoresMaximumsWithoutSteps) {
		return true
	}
	if r.Step == nil {
		return false
	}
	if r.Min == nil || r.Step.Value() == 0 {
		return true // The API does not allow this range, so no amount is valid.
	}
	if !inMilli(r, fractional) {
		return (amount.Value()-r.Min.Value())%r.Step.Value() != 0
	}
	milli, exact := milliValue(amount)
	return !exact || (milli-r.Min.MilliValue())%r.Step.MilliValue() != 0
}

// inMilli returns whether the range is calculated in thousandths. This requires the feature, bounds that are
// multiples of one thousandth, and a step of at least one thousandth.
func inMilli(r *resourceapi.CapacityRequestPolicyRange, fractional bool) bool {
	if !fractional {
		return false
	}
	for _, bound := range []*resource.Quantity{r.Min, r.Max, r.Step} {
		if bound == nil {
			continue
		}
		milli, exact := milliValue(*bound)
		if !exact || bound == r.Step && milli < 1 {
			return false
		}
	}
	return true
}

func milliValue(q resource.Quantity) (milli int64, exact bool) {
	milli = q.MilliValue()
	return milli, q.Cmp(*resource.NewMilliQuantity(milli, q.Format)) == 0
}
