// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/hack/internal/batches"
)

// batch is faults that are on in the same run.
type batch struct {
	// name is the name of the only fault, or that of the batch. It is the tag of
	// images and the name of a folder.
	name   string
	faults []fault
}

// alone returns a batch with one fault.
func alone(f fault) batch { return batch{name: f.Name, faults: []fault{f}} }

// of returns the names of the faults of components.
func (b batch) of(components ...string) []string {
	var all []string
	for _, f := range b.faults {
		if slices.Contains(components, f.Broken) {
			all = append(all, f.Name)
		}
	}
	return all
}

// tag returns the tag of the images with the faults of components. It is empty if
// there are none.
func (b batch) tag(components ...string) string {
	if len(b.of(components...)) == 0 {
		return ""
	}
	return b.name
}

// divide divides faults that specs must find into batches. The faults of a batch
// touch different parts of the suite, so that none hides another, and no spec must
// fail because of two of them.
func divide(faults []fault) []batch {
	found := slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return len(f.Specs) == 0 })
	var all []batch
	for i, some := range batches.Divide(found, fault.interferes) {
		all = append(all, batch{name: fmt.Sprintf("batch-%d", i+1), faults: some})
	}
	return all
}

// interferes reports whether two faults must not be on at the same time.
func (f fault) interferes(other fault) bool {
	return batches.Overlap(f.Touches, other.Touches) || slices.ContainsFunc(f.Specs, func(id string) bool { return slices.Contains(other.Specs, id) })
}

// complete checks what a fault touches. By default, these are the profiles of its
// specs.
func (f *fault) complete(specs []suite.Spec) error {
	var all, own []string
	for _, s := range specs {
		all = append(all, s.Profile)
		if slices.Contains(f.Specs, s.ID) {
			own = append(own, s.Profile)
		}
	}
	for _, touched := range f.Touches {
		profile, _, _ := strings.Cut(touched, "/")
		if touched != batches.Everything && !slices.Contains(all, profile) {
			return fmt.Errorf("touches must be %s, a profile, or a profile, a slash and a part of it, not %q", batches.Everything, touched)
		}
	}
	if len(f.Touches) == 0 {
		slices.Sort(own)
		f.Touches = slices.Compact(own)
	}
	return nil
}
