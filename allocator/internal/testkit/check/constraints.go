// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/internal/rules"
)

// ErrConstraint is wrapped by violations of the constraints of a claim.
var ErrConstraint = errors.New("constraint")

// constraints verifies the constraints of each claim over the devices that are
// chosen for it.
func (r *Rules) constraints(choices []Choice) error {
	var errs []error
	for claim := range r.problem.Claims {
		for i, constraint := range r.problem.Claims[claim].Spec.Devices.Constraints {
			if err := r.constraint(claim, constraint, choices); err != nil {
				errs = append(errs, fmt.Errorf("claim %d: %w %d: %w", claim, ErrConstraint, i, err))
			}
		}
	}
	return errors.Join(errs...)
}

func (r *Rules) constraint(claim int, constraint resourceapi.DeviceConstraint, choices []Choice) error {
	name, distinct := rules.AttributeOf(&constraint)
	if name == nil {
		return errors.New("of an unknown kind")
	}
	var values []sets.Set[string]
	for _, choice := range choices {
		subrequest := r.Subrequest(choice)
		if choice.Claim != claim || !rules.Applies(constraint.Requests, subrequest.Name) {
			continue
		}
		value, err := r.attribute(subrequest, choice.Device, *name)
		if err != nil {
			return fmt.Errorf("%s: %w", choice, err)
		}
		values = append(values, value)
	}
	switch {
	case distinct && !rules.Distinct(values...):
		return errors.New("two devices have a value in common, or one has none")
	case !distinct && !rules.Match(values...):
		return errors.New("the devices have no value in common")
	}
	return nil
}

// attribute returns the values of an attribute. Every device under a constraint
// must have it. Only without the feature for list attributes it may have no
// value, because it is a list.
func (r *Rules) attribute(subrequest *Subrequest, device *Device, name resourceapi.FullyQualifiedName) (sets.Set[string], error) {
	derive := rules.Derive(r.cel.GetOrCompileDerivedAttribute)
	attribute, found, err := derive.Attribute(context.Background(), &subrequest.Alternative, device.Device, name)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("has no attribute %s", name)
	}
	values := rules.Values(attribute, r.quirks)
	if !r.quirks.ScalarAttributes && values.Len() == 0 {
		return nil, fmt.Errorf("attribute %s has no value", name)
	}
	return values, nil
}
