// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Problem is a violation of a rule in one field of an object.
type Problem struct {
	Field   *field.Path
	Message string
}

// Error returns the field and the message.
func (p Problem) Error() string { return p.Field.String() + ": " + p.Message }

// PolicyProblems returns the problems of the request policy of a capacity with
// this value (KEP-5075; API CapacityRequestPolicy). path is the field of the
// policy. Whether the device allows multiple allocations, as a policy requires,
// and the number of values are not checked.
func PolicyProblems(path *field.Path, policy *resourceapi.CapacityRequestPolicy, value resource.Quantity) []Problem {
	p := policyProblems{policy: policy, value: value}
	switch {
	case len(policy.ValidValues) > 0 && policy.ValidRange != nil:
		p.add(path, "has validValues and validRange, only one of them is allowed")
	case policy.Default == nil && (len(policy.ValidValues) > 0 || policy.ValidRange != nil):
		p.add(path.Child("default"), "is missing, validValues and validRange need it")
	case len(policy.ValidValues) > 0:
		p.values(path)
	case policy.ValidRange != nil:
		p.limits(path.Child("validRange"), policy.ValidRange)
	}
	return p.found
}

// policyProblems collects the problems of a policy.
type policyProblems struct {
	policy *resourceapi.CapacityRequestPolicy
	value  resource.Quantity
	found  []Problem
}

func (p *policyProblems) add(path *field.Path, format string, args ...any) {
	p.found = append(p.found, Problem{path, fmt.Sprintf(format, args...)})
}

func (p *policyProblems) values(path *field.Path) {
	list, member := p.policy.ValidValues, false
	for i := range list {
		element := path.Child("validValues").Index(i)
		if list[i].Cmp(p.value) > 0 {
			p.add(element, "is %s, above the capacity of %s", &list[i], &p.value)
		}
		if i > 0 && list[i].Cmp(list[i-1]) <= 0 {
			p.add(element, "is %s after %s, values must ascend", &list[i], &list[i-1])
		}
		member = member || list[i].Cmp(*p.policy.Default) == 0
	}
	if !member {
		p.add(path.Child("default"), "is %s, which is none of the validValues", p.policy.Default)
	}
}

func (p *policyProblems) limits(path *field.Path, r *resourceapi.CapacityRequestPolicyRange) {
	if r.Min == nil {
		p.add(path.Child("min"), "is missing")
		return
	}
	for _, pair := range []struct {
		field, low, high string
		a, b             *resource.Quantity
	}{
		{"min", "min", "the capacity", r.Min, &p.value},
		{"min", "min", "max", r.Min, r.Max},
		{"max", "max", "the capacity", r.Max, &p.value},
		{"min", "min", "the default", r.Min, p.policy.Default},
		{"max", "the default", "max", p.policy.Default, r.Max},
	} {
		if pair.a != nil && pair.b != nil && pair.a.Cmp(*pair.b) > 0 {
			p.add(path.Child(pair.field), "%s is %s, above %s of %s", pair.low, pair.a, pair.high, pair.b)
		}
	}
	if r.Step != nil {
		p.step(path.Child("step"), r)
	}
}

// step compares exact numbers. Without DRAFractionalCapacityRange, API servers
// round them up to whole numbers first.
func (p *policyProblems) step(path *field.Path, r *resourceapi.CapacityRequestPolicyRange) {
	if r.Step.Sign() <= 0 {
		p.add(path, "is %s, must be above 0", r.Step)
		return
	}
	next := r.Min.DeepCopy()
	if next.Add(*r.Step); next.Cmp(p.value) > 0 {
		p.add(path, "one step from min is %s, above the capacity of %s", &next, &p.value)
	}
	if !onStep(Exact(*p.policy.Default), r) {
		p.add(path, "the default of %s is not a multiple of %s from min %s", p.policy.Default, r.Step, r.Min)
	}
	if r.Max != nil && !onStep(Exact(*r.Max), r) {
		p.add(path, "max of %s is not a multiple of %s from min %s", r.Max, r.Step, r.Min)
	}
}
