// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package variant makes schedulers, drivers and kubelets differ from those of the
// suite in ways that Kubernetes allows, to verify that no spec fails because of
// it.
//
// It is built like the package fault: without the build tag [Tag] the variants are
// constants with the value false, and no released program contains any part of
// this package. With the build tag, those that the environment variable
// [Variable] names are true. An unknown name ends the program at once.
//
// hack/right/right.yaml describes the variants and why they are right. A test of this
// package writes the declarations.
package variant

const (
	// Varies is the environment variable that selects variants in one of the suite's
	// images, for a command built with Tag. The value is as that of fault.Breaks.
	Varies = "DRACONFORM_VARIES"
	// Tag is the build tag of programs with variants.
	Tag = "draconform_variants"
	// Variable is the environment variable that names the variants that are on,
	// separated by commas. If it is not set, no variant is on.
	Variable = "DRACONFORM_VARIANT"
)
