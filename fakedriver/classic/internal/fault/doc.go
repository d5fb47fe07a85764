// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fault adds deliberate faults to the classic drivers, to verify that a spec fails
// because of each of them. It is like the package fault of the other fake drivers, which
// cannot be built with the Kubernetes modules of legacy releases: without the build tag
// draconform_faults the faults are constants with the value false, and no released program
// has any part of this package. With it, those are true that the environment variable
// DRACONFORM_FAULT names. An unknown name ends the program at once.
//
// hack/mutants/classic.yaml describes the effect of each fault and the specs that must
// fail.
package fault
