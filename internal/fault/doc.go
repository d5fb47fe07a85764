// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fault adds deliberate faults to schedulers, drivers and kubelets, each with
// one small effect, to verify that a spec fails because of it.
//
// Code that can be broken checks whether one of the faults of this package is
// on. Without a build tag the faults are constants with the value false, and
// the compiler removes the code that they guard: no released program contains
// any part of this package. With the build tag [Tag] they are variables. Those
// that the environment variable [Variable] names are true. An unknown name ends
// the program at once.
//
// hack/mutants/faults.yaml describes the effect of each fault and the specs
// that must fail. A name there is the identifier here in lower case with dashes
// between its words. A test of this package writes the declarations.
package fault

const (
	// Breaks is the environment variable that selects faults in one of the suite's
	// images, for a command built with Tag. The value is scheduler, driver or
	// classic driver, an equals sign, and the faults, separated by commas.
	Breaks = "DRACONFORM_BREAKS"
	// Tag is the build tag of programs with faults.
	Tag = "draconform_faults"
	// Variable is the environment variable that names the faults that are on,
	// separated by commas. If it is not set, no fault is on.
	Variable = "DRACONFORM_FAULT"
)
