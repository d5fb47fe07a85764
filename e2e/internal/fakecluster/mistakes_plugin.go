// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import "github.com/draconform/draconform/e2e/nodeagent/api"

// PluginMistakes are the faults of the kubelet plugins of drivers that only a node agent
// observes.
type PluginMistakes struct {
	// Misregisters changes the registrations of a driver.
	Misregisters func(*api.Registrations)
	// Misanswers changes the answers to calls.
	Misanswers func(*PluginCall)
	// Misreports changes the report about the health of devices.
	Misreports func(*api.HealthReport)
	// Mislists changes the CDI files of a node.
	Mislists func([]api.CDIFile) []api.CDIFile
	// PreparesUnallocated: a driver prepares claims that are not allocated.
	PreparesUnallocated bool
	// PreparesDeleted: a driver prepares deleted claims that it has prepared
	// before.
	PreparesDeleted bool
	// RejectsEnding: a driver fails to prepare claims that are deleted and in use.
	RejectsEnding bool
	// IgnoresUIDs: a driver prepares claims of the given name with any UID.
	IgnoresUIDs bool
	// UnpreparesByName: a driver unprepares the claim of the given name whatever its UID.
	UnpreparesByName bool
	// ReturnsAllDrivers: a driver also returns the devices of other drivers.
	ReturnsAllDrivers bool
	// NeedsClaims: a driver fails to unprepare a claim that it has prepared and that does not
	// exist any more.
	NeedsClaims bool
	// UnpreparesByDevice: a driver that is asked to unprepare a claim again unprepares the
	// claim that has one of its devices now.
	UnpreparesByDevice bool
	// UnpreparesForOthers: a driver that unprepares its devices of a claim also removes the CDI
	// devices of other drivers for this claim.
	UnpreparesForOthers bool
	// IgnoresOlderUnprepare: a driver answers calls of older services that unprepare claims,
	// and does nothing.
	IgnoresOlderUnprepare bool
	// RollsBack: a driver that fails to prepare a claim unprepares all claims of the call.
	RollsBack bool
	// StaysBusyUnpreparing: a driver fails to unprepare claims after a canceled call to do so.
	StaysBusyUnpreparing bool
	// RestartRevives: a restarted driver has the CDI files of claims that it unprepared at
	// the same time as others.
	RestartRevives bool
	// LeavesRefused: a driver does not unprepare the first device of a claim that it has
	// failed to prepare because of its parameters.
	LeavesRefused bool
	// NeedsLostFiles: a driver fails to unprepare a claim whose CDI file another component has
	// removed.
	NeedsLostFiles bool
	// RestartLeavesRefused: a restarted driver does not unprepare the first device of a claim that
	// an earlier process has failed to prepare because of its parameters.
	RestartLeavesRefused bool
	// RestartUndoesNothing reports whether a restarted driver does nothing to unprepare a claim
	// that an earlier process has prepared. The argument states whether the claim still exists.
	RestartUndoesNothing func(exists bool) bool
	// StaysBusy: a driver fails to prepare claims after a canceled call.
	StaysBusy bool
}

func (m PluginMistakes) addTo(all *Mistakes) { all.PluginMistakes = m }
