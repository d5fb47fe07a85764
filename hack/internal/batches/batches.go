// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package batches divides changes of components that can be in effect at the same
// time.
package batches

import (
	"slices"
	"strings"
)

// Everything is what a change touches that must be the only one.
const Everything = "everything"

// Divide divides changes into as few batches as a greedy choice needs, such that
// no two of a batch interfere. It keeps the order of the changes.
func Divide[C any](changes []C, interfere func(a, b C) bool) [][]C {
	var all [][]C
	for _, c := range changes {
		i := slices.IndexFunc(all, func(batch []C) bool {
			return !slices.ContainsFunc(batch, func(other C) bool { return interfere(c, other) })
		})
		if i < 0 {
			i = len(all)
			all = append(all, nil)
		}
		all[i] = append(all[i], c)
	}
	return all
}

// Overlap reports whether changes that touch these things have one of them in
// common. A thing with a slash is a part of the thing before the slash.
func Overlap(touched, others []string) bool {
	within := func(one, two string) bool {
		return one == two || two == Everything || strings.HasPrefix(one, two+"/")
	}
	return slices.ContainsFunc(touched, func(one string) bool {
		return slices.ContainsFunc(others, func(two string) bool { return within(one, two) || within(two, one) })
	})
}
