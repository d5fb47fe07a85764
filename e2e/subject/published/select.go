// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package published

import (
	"context"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"

	"github.com/draconform/draconform/internal/rules"
)

// Selection is the devices that expressions select.
type Selection struct {
	// Selected are the devices for which all expressions are true.
	Selected []*Device
	// Failed is the first device for which an expression cannot be evaluated. A
	// scheduler that considers such a device does not allocate the claim.
	Failed *Device
	// FailedCount is the number of such devices.
	FailedCount int
	// Err is the error of the first one.
	Err error
}

// Has reports whether a device is selected.
func (s Selection) Has(device *Device) bool {
	return slices.Contains(s.Selected, device)
}

// Select evaluates CEL expressions for devices, in the order in which
// schedulers do it: an expression is not evaluated for a device that an earlier
// one excludes. The error is that of an expression that does not compile.
func Select(ctx context.Context, devices []*Device, expressions ...string) (Selection, error) {
	var s Selection
	compiled := make([]cel.CompilationResult, len(expressions))
	for i, expression := range expressions {
		compiled[i] = cel.GetCompiler(language).CompileCELExpression(expression, cel.Options{})
		// The error has a pointer type, whose nil is not a nil error.
		if err := compiled[i].Error; err != nil {
			reason, _, _ := strings.Cut(err.Detail, "\n") // Further lines repeat the expression.
			return s, fmt.Errorf("selector %s does not compile: %s", expression, reason)
		}
	}
	for _, device := range devices {
		ok, err := matches(ctx, device.Device, compiled)
		switch {
		case err != nil && s.FailedCount > 0:
			s.FailedCount++
		case err != nil:
			s.Failed, s.FailedCount, s.Err = device, 1, err
		case ok:
			s.Selected = append(s.Selected, device)
		}
	}
	return s, ctx.Err()
}

// language has all features of the language enabled, because a device without
// them behaves the same.
var language = cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true}

func matches(ctx context.Context, device rules.Device, compiled []cel.CompilationResult) (bool, error) {
	for _, selector := range compiled {
		if ok, err := rules.Selects(ctx, selector, device); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// Expressions returns the CEL expressions of a class.
func Expressions(class *resourceapi.DeviceClass) []string {
	var all []string
	for _, selector := range class.Spec.Selectors {
		if selector.CEL != nil {
			all = append(all, selector.CEL.Expression)
		}
	}
	return all
}
