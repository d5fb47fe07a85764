package check

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
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
	name, equal := constraint.DistinctAttribute, false
	if constraint.MatchAttribute != nil {
		name, equal = constraint.MatchAttribute, true
	}
	if name == nil {
		return errors.New("of an unknown kind")
	}
	var values []sets.Set[string]
	for _, choice := range choices {
		ask := r.Ask(choice)
		if choice.Claim != claim || len(constraint.Requests) > 0 && !ask.named(constraint.Requests) {
			continue
		}
		value, err := r.attribute(ask, choice.Device, *name)
		if err != nil {
			return fmt.Errorf("%s: %w", choice, err)
		}
		values = append(values, value)
	}
	if equal {
		return inCommon(values)
	}
	return apart(values)
}

// inCommon verifies matchAttribute: all devices have a value in common. A
// scalar counts as a list of one value, so scalars must be equal (KEP-5491).
//
// Quirk, checked like Kubernetes: without the feature for list attributes a
// list has no value, and a device with one may be chosen if it is the only one.
func inCommon(values []sets.Set[string]) error {
	if len(values) < 2 {
		return nil
	}
	common := values[0]
	for _, value := range values[1:] {
		common = common.Intersection(value)
	}
	if common.Len() == 0 {
		return errors.New("the devices have no value in common")
	}
	return nil
}

// apart verifies distinctAttribute: no two devices have a value in common.
//
// Quirk, checked like Kubernetes: without the feature for list attributes a
// list has no value, and a device with one may only be the first that is
// chosen.
func apart(values []sets.Set[string]) error {
	seen := sets.New[string]()
	for i, value := range values {
		if i > 0 && value.Len() == 0 || seen.HasAny(value.UnsortedList()...) {
			return errors.New("two devices have a value in common, or one has none")
		}
		seen = seen.Union(value)
	}
	return nil
}

// attribute returns the values of an attribute, each with its type. Lists count
// only if the feature is enabled. A derived attribute of the request overrides
// one of the device (KEP-6080). The names of a device's attributes may omit the
// driver's own domain.
func (r *Rules) attribute(ask *Ask, device *Device, name resourceapi.FullyQualifiedName) (sets.Set[string], error) {
	attribute, found := device.Attributes[resourceapi.QualifiedName(name)]
	if domain, id, qualified := strings.Cut(string(name), "/"); !found && qualified && domain == device.pool.driver {
		attribute, found = device.Attributes[resourceapi.QualifiedName(id)]
	}
	for _, derived := range ask.derived {
		if derived.Name != name {
			continue
		}
		program := r.cel.GetOrCompileDerivedAttribute(derived.Expression)
		if program.Error != nil {
			return nil, program.Error
		}
		value, _, err := program.EvaluateDerivedAttribute(context.Background(), celDevice(device))
		if err != nil {
			return nil, fmt.Errorf("derive attribute %s: %w", name, err)
		}
		attribute, found = *value, true
	}
	if !found {
		return nil, fmt.Errorf("has no attribute %s", name)
	}
	values := attributeValues(attribute, r.features.ListTypeAttributes)
	if r.features.ListTypeAttributes && values.Len() == 0 {
		return nil, fmt.Errorf("attribute %s has no value", name)
	}
	return values, nil
}

func attributeValues(attribute resourceapi.DeviceAttribute, lists bool) sets.Set[string] {
	values := sets.New[string]()
	if lists {
		for _, v := range attribute.IntValues {
			values.Insert("int:" + strconv.FormatInt(v, 10))
		}
		for _, v := range attribute.BoolValues {
			values.Insert("bool:" + strconv.FormatBool(v))
		}
		for _, v := range attribute.StringValues {
			values.Insert("string:" + v)
		}
		for _, v := range attribute.VersionValues {
			values.Insert("version:" + v)
		}
	}
	switch {
	case attribute.IntValue != nil:
		values.Insert("int:" + strconv.FormatInt(*attribute.IntValue, 10))
	case attribute.BoolValue != nil:
		values.Insert("bool:" + strconv.FormatBool(*attribute.BoolValue))
	case attribute.StringValue != nil:
		values.Insert("string:" + *attribute.StringValue)
	case attribute.VersionValue != nil:
		values.Insert("version:" + *attribute.VersionValue)
	}
	return values
}
