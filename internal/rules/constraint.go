// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"context"
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
)

// AttributeOf returns the attribute of a constraint, and whether it must be
// distinct. It returns nil for constraints of an unknown kind (KEP-4381,
// KEP-5075; API DeviceConstraint.matchAttribute, distinctAttribute). The API
// server accepts a constraint with both; then only matchAttribute counts.
func AttributeOf(constraint *resourceapi.DeviceConstraint) (name *resourceapi.FullyQualifiedName, distinct bool) {
	if constraint.MatchAttribute != nil {
		return constraint.MatchAttribute, false
	}
	return constraint.DistinctAttribute, true
}

// Lookup returns an attribute or a capacity by its qualified name. A name
// without a domain is equal to one with the driver's domain (API
// QualifiedName).
func Lookup[T any](all map[resourceapi.QualifiedName]T, driver, name string) (T, bool) {
	if value, found := all[resourceapi.QualifiedName(name)]; found {
		return value, true
	}
	other, hasDomain := strings.CutPrefix(name, driver+"/")
	if !hasDomain {
		other = driver + "/" + name
	}
	value, found := all[resourceapi.QualifiedName(other)]
	return value, found
}

// Derive compiles the expression of a derived attribute, such as
// [cel.Cache.GetOrCompileDerivedAttribute].
type Derive func(expression string) cel.CompilationResult

// Attribute returns the attribute that a constraint compares for a device of an
// alternative: the one that the alternative derives (KEP-6080; API
// ExactDeviceRequest.derivedAttributes), or else the one of the device.
func (derive Derive) Attribute(ctx context.Context, a *Alternative, device Device, name resourceapi.FullyQualifiedName) (attribute resourceapi.DeviceAttribute, found bool, err error) {
	for _, derived := range a.Derived {
		if derived.Name != name {
			continue
		}
		program := derive(derived.Expression)
		if program.Error != nil {
			return attribute, false, fmt.Errorf("derive attribute %s: %w", name, program.Error)
		}
		value, _, err := program.EvaluateDerivedAttribute(ctx, device.input())
		if err != nil {
			return attribute, false, fmt.Errorf("derive attribute %s: %w", name, err)
		}
		return *value, true, nil
	}
	attribute, found = Lookup(device.Attributes, device.Driver, string(name))
	return attribute, found, nil
}

// Values returns the values of an attribute, each with its type. A scalar is a
// list of one value (KEP-5491).
func Values(a resourceapi.DeviceAttribute, quirks Quirks) sets.Set[string] {
	values := sets.New[string]()
	lists := !quirks.ScalarAttributes
	insert(values, "int", a.IntValue, a.IntValues, lists)
	insert(values, "bool", a.BoolValue, a.BoolValues, lists)
	insert(values, "string", a.StringValue, a.StringValues, lists)
	insert(values, "version", a.VersionValue, a.VersionValues, lists)
	return values
}

func insert[T any](into sets.Set[string], kind string, scalar *T, list []T, lists bool) {
	if scalar != nil {
		into.Insert(fmt.Sprintf("%s:%v", kind, *scalar))
	}
	for _, value := range list {
		if lists {
			into.Insert(fmt.Sprintf("%s:%v", kind, value))
		}
	}
}

// Match reports whether devices with these values satisfy matchAttribute: all
// have a value in common. A common value of each pair is not enough (KEP-4381,
// KEP-5491).
//
// With the quirk ScalarAttributes a device with a list has no value, and may
// only be allocated alone.
func Match(values ...sets.Set[string]) bool {
	if len(values) < 2 {
		return true
	}
	common := values[0]
	for _, value := range values[1:] {
		common = common.Intersection(value)
	}
	return common.Len() > 0
}

// Distinct reports whether devices with these values satisfy distinctAttribute:
// no two have a value in common (KEP-5075, KEP-5491).
//
// With the quirk ScalarAttributes a device with a list has no value, and may
// only be the first one of the allocation.
func Distinct(values ...sets.Set[string]) bool {
	seen := sets.New[string]()
	for i, value := range values {
		if i > 0 && value.Len() == 0 || seen.HasAny(value.UnsortedList()...) {
			return false
		}
		seen = seen.Union(value)
	}
	return true
}
