// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"

	"github.com/draconform/draconform/internal/rules"
)

// Newer API servers may have kinds of requests, selectors, attributes and others that
// the auditor does not know. Decoding drops them, and leaves an object without any of
// the kinds of which it must have one, or with a value that is not known. Nothing is
// wrong as far as it depends on such an object. A new field of a known kind cannot be
// seen.

// errUnknown is wrapped by errors of evaluations that the auditor cannot do.
var errUnknown = errors.New("of an unknown kind")

// accepts evaluates a selector. The error wraps errUnknown if the selector is of an
// unknown kind or in a newer language, as the API server has accepted it, or if the
// device has an attribute of an unknown kind.
func accepts(ctx context.Context, selector resourceapi.DeviceSelector, device rules.Device) (bool, error) {
	if selector.CEL == nil {
		return false, fmt.Errorf("selector: %w", errUnknown)
	}
	program := compile(selector.CEL.Expression, cel.Options{})
	if program.Error != nil {
		return false, fmt.Errorf("expression: %w: %w", errUnknown, program.Error)
	}
	accepted, err := rules.Selects(ctx, program, device)
	if err != nil && hasUnknownAttribute(device.Device) {
		return false, fmt.Errorf("attribute: %w: %w", errUnknown, err)
	}
	return accepted, err
}

// hasUnknownAttribute reports whether an attribute of a device has no value of a known
// kind. No expression can be evaluated for such a device.
func hasUnknownAttribute(device *resourceapi.Device) bool {
	for _, attribute := range device.Attributes {
		if rules.Values(attribute, rules.Quirks{}).Len() == 0 {
			return true
		}
	}
	return false
}

// cannotDerive reports whether the auditor cannot compute an attribute that a request
// derives for a device, because it is derived in another way than by an expression of a
// known language, or because of the device's own attributes.
func cannotDerive(request rules.Alternative, name resourceapi.FullyQualifiedName, device *resourceapi.Device) bool {
	return hasUnknownAttribute(device) || slices.ContainsFunc(request.Derived, func(d resourceapi.DeviceDerivedAttribute) bool {
		return d.Name == name && derive(d.Expression).Error != nil
	})
}

// hasUnknownMode reports whether it is not known how many devices satisfy a request
// (API ExactDeviceRequest.allocationMode: more modes may get added).
func hasUnknownMode(a rules.Alternative) bool {
	known := []resourceapi.DeviceAllocationMode{"", resourceapi.DeviceAllocationModeExactCount, resourceapi.DeviceAllocationModeAll}
	return !slices.Contains(known, a.Mode)
}

// mayTolerate reports whether a toleration with an unknown operator is about the key and
// the effect of a taint.
func mayTolerate(tolerations []resourceapi.DeviceToleration, taint resourceapi.DeviceTaint) bool {
	return slices.ContainsFunc(tolerations, func(t resourceapi.DeviceToleration) bool {
		switch t.Operator {
		case "", resourceapi.DeviceTolerationOpEqual, resourceapi.DeviceTolerationOpExists:
			return false
		}
		t.Operator = resourceapi.DeviceTolerationOpExists
		return len(rules.Untolerated([]resourceapi.DeviceTaint{taint}, []resourceapi.DeviceToleration{t})) == 0
	})
}

// mayRound reports whether the policy of a capacity may be of an unknown kind, which
// rounds the requested amount up. Policies of known kinds have a range or values, but
// one with neither is valid, too.
func mayRound(request rules.Alternative, driver string, name resourceapi.QualifiedName, policy *resourceapi.CapacityRequestPolicy) bool {
	_, requested := rules.Lookup(request.Capacity, driver, string(name))
	return requested && policy != nil && policy.ValidRange == nil && len(policy.ValidValues) == 0
}

// isKnown reports whether it is known which nodes a device can be used on.
func isKnown(n rules.Nodes) bool {
	return n.All || n.Name != "" || n.Selector != nil && canMatch(n.Selector)
}

// canMatch reports whether a node selector can be compared with nodes. The API server
// has accepted its operators.
func canMatch(selector *corev1.NodeSelector) bool {
	_, err := rules.NodeMatches(selector, &corev1.Node{})
	return err == nil
}
