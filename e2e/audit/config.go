// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import "time"

// DefaultLag is the default of [Config.Lag]. It is long for a scheduler on a
// busy machine.
const DefaultLag = 10 * time.Second

// Config configures an Auditor.
type Config struct {
	// Drivers are the drivers whose devices are audited. Empty means all.
	Drivers []string
	// Lag is how much older than an observed allocation the slices and classes
	// may be that the scheduler used for it. Zero means DefaultLag.
	Lag time.Duration
	// Scheduler is the scheduler that allocates, until [Auditor.AllocatedBy]
	// sets another.
	Scheduler Scheduler
}

// Scheduler describes what an Auditor expects of a scheduler.
type Scheduler struct {
	// SharingAffinity states that the scheduler honors KEP-5981.
	SharingAffinity bool
	// UsesIncompletePools states that the scheduler may allocate from pools
	// with missing slices, as it does until Kubernetes 1.34.
	UsesIncompletePools bool
	// IgnoresCompatibilityGroups states that the scheduler may ignore
	// KEP-5963, as it does until Kubernetes 1.36.
	IgnoresCompatibilityGroups bool
	// OmitsTolerations states that allocations may lack the tolerations of
	// requests, as they do until Kubernetes 1.34 and without the feature.
	OmitsTolerations bool
	// OmitsBindingConditions and OmitsSkippedOperations state that allocations may
	// lack the binding conditions of devices and the operations that kubelets skip
	// for them, as they do without the features.
	OmitsBindingConditions, OmitsSkippedOperations bool
}

// Or returns the expectations for allocations that either scheduler may have
// made.
func (s Scheduler) Or(other Scheduler) Scheduler {
	return Scheduler{
		SharingAffinity:            s.SharingAffinity && other.SharingAffinity,
		UsesIncompletePools:        s.UsesIncompletePools || other.UsesIncompletePools,
		IgnoresCompatibilityGroups: s.IgnoresCompatibilityGroups || other.IgnoresCompatibilityGroups,
		OmitsTolerations:           s.OmitsTolerations || other.OmitsTolerations,
		OmitsBindingConditions:     s.OmitsBindingConditions || other.OmitsBindingConditions,
		OmitsSkippedOperations:     s.OmitsSkippedOperations || other.OmitsSkippedOperations,
	}
}
