// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import resourceapi "k8s.io/api/resource/v1"

// DriverMistakes are the faults of the drivers, except those that only a node agent
// observes.
type DriverMistakes struct {
	// SpreadsHealth: a driver that should report one device as unhealthy reports
	// all of them.
	SpreadsHealth bool
	// MisstatesDevices changes the status of devices that a driver writes into
	// their claim.
	MisstatesDevices func([]resourceapi.AllocatedDeviceStatus) []resourceapi.AllocatedDeviceStatus
	// RenewsStatus: a driver writes the status of devices again, with new times, each
	// time it is called for their claim.
	RenewsStatus bool
	// NeverRepublishes: a driver that is started again publishes no
	// ResourceSlices.
	NeverRepublishes bool
	// RestartMoves: a restart of a node changes the devices of allocated
	// claims.
	RestartMoves bool
	// RestartRenames: a restarted driver publishes its devices with other names.
	RestartRenames bool
	// RestartLeavesSlices: a restarted driver publishes its pool with a lower
	// generation, and leaves the slices of the higher one.
	RestartLeavesSlices bool
	// PublishesTooFew: the driver publishes fewer slices of a pool than they
	// state.
	PublishesTooFew bool
	// PublishesInvalid: the driver publishes a device that consumes an unknown
	// counter.
	PublishesInvalid bool
	// PublishesHostNames: the driver publishes the devices of the last node with the name of its
	// host, which is not that of the node.
	PublishesHostNames bool
	// PublishesBusIDs: drivers publish the PCIe roots of devices in the format of PCI
	// bus IDs, and devices without a NUMA node with the number -1.
	PublishesBusIDs bool
	// PublishesUse changes a device that a driver publishes when it has prepared or
	// unprepared a claim: it states whether the device is prepared for a claim.
	PublishesUse func(device *resourceapi.Device, used bool)
	// RestartPublishesUse changes a device that a restarted driver publishes again: it states
	// whether the device is prepared for a claim.
	RestartPublishesUse func(device *resourceapi.Device, used bool)
	// KeepsFirstHosts: the controller of multi-host devices ignores that nodes are
	// withdrawn.
	KeepsFirstHosts bool
	// KeepsWithdrawn: it ignores that withdrawn nodes come back.
	KeepsWithdrawn bool
	// WithdrawsOne: it offers the devices of a withdrawn node again when another node is
	// withdrawn.
	WithdrawsOne bool
	// ReturnsAll: it offers the devices of all nodes when one of the withdrawn nodes is back.
	ReturnsAll bool
	// LeavesFormerPool: it leaves what it published before as another pool.
	LeavesFormerPool bool
	// MispublishesHosts changes each ResourceSlice that it publishes.
	MispublishesHosts func(*resourceapi.ResourceSliceSpec)
	// LeavesSlices: a driver that publishes other devices leaves its old ResourceSlices.
	LeavesSlices bool
	// NeedsDevices: a driver fails to unprepare a claim with a device that it does not
	// publish any more.
	NeedsDevices bool
	// RestartForgetsRemoved: a restarted driver does not know the claims of devices that
	// it does not publish any more.
	RestartForgetsRemoved bool
	// RestartForgets: a restarted driver does not know which claims were
	// prepared before.
	RestartForgets bool
	// RestartLosesFiles: a restarted driver removes the CDI files of prepared claims.
	RestartLosesFiles bool
	// LosesAtRestart reports whether a driver loses the CDI files of a claim at its restart with
	// this number, from 1. It prepared the claim after so many restarts.
	LosesAtRestart func(number, preparedAfter int) bool
	// RestartKeepsFirst: a restarted driver knows the first device of each prepared claim
	// only.
	RestartKeepsFirst bool
	// EndRemovesFiles: a driver removes the CDI files of prepared claims when it is stopped.
	EndRemovesFiles bool
	// ReportsNoShares: a driver does not report the health of devices that claims share.
	ReportsNoShares bool
	// ReportsFirstUnhealthy: a driver reports one of several unhealthy devices as such.
	ReportsFirstUnhealthy bool
	// RestartForgetsAttributes: a restarted driver writes device metadata files without
	// attributes.
	RestartForgetsAttributes bool
	// NeverReturns: a driver or kubelet that was restarted does not come back.
	NeverReturns bool
	// NeverUnprepares: a driver keeps claims prepared that the kubelet has
	// unprepared.
	NeverUnprepares bool
	// NamesWithoutClaim: a driver names CDI devices without the UID of their claim.
	NamesWithoutClaim bool
	// LeavesFiles: a driver does not remove the CDI files of unprepared claims.
	LeavesFiles bool
	// LosesFiles: a driver does not write the CDI files of prepared claims again.
	LosesFiles bool
	// IgnoresFullDisk: a driver reports that it prepared a claim although its disk
	// is full.
	IgnoresFullDisk bool
	// StaysFull: a driver that has failed to prepare a claim because its disk is
	// full keeps failing when there is room.
	StaysFull bool
	// LeavesPartsOfFiles: a driver leaves the part of a CDI file that it wrote
	// before its disk was full.
	LeavesPartsOfFiles bool
	// HoldsFailed: a driver does not release the devices of an unprepared claim that
	// it failed to prepare.
	HoldsFailed bool
	// NeedsFiles: a driver fails to unprepare a claim whose CDI file it has removed
	// before.
	NeedsFiles bool
	// ForgetsUnstored: a driver reports that it unprepared a claim although it could not
	// store that, because its disk is full. The claim stays prepared.
	ForgetsUnstored bool
	// RejectsOtherDrivers: a driver fails to prepare a claim that has devices of
	// other drivers, too.
	RejectsOtherDrivers bool
	// ConfusesShares: a driver fails to prepare a claim with two shares of a device for
	// the same request.
	ConfusesShares bool
	// RejectsOtherConfigs: a driver fails to prepare a claim that has parameters for
	// drivers of which it has no devices.
	RejectsOtherConfigs bool
	// IgnoresConfigs: a driver ignores the parameters from a source.
	IgnoresConfigs resourceapi.AllocationConfigSource
	// PrefersClaims: a driver ignores the parameters of classes in an allocation that has
	// parameters of the claim.
	PrefersClaims bool
	// ReadsClasses: a driver applies the parameters that DeviceClasses have now, and not those
	// of the allocation.
	ReadsClasses bool
	// MixesUpConfigs: a driver applies all parameters of an allocation to all of its
	// devices.
	MixesUpConfigs bool
	// ConfiguresFirst: a driver applies parameters to the first device of a claim
	// only.
	ConfiguresFirst bool
	// NeedsNamedRequests: a driver applies parameters only to devices of the
	// requests or subrequests that they name.
	NeedsNamedRequests bool
	// ConfiguresByPrefix: a driver applies parameters also to devices of requests whose
	// names begin with that of the request that they are for.
	ConfiguresByPrefix bool
	// IgnoresSubrequests: a driver ignores parameters that name a subrequest.
	IgnoresSubrequests bool
	// ReadsFirstNames: a driver applies parameters only to the first of the requests or
	// subrequests that they name.
	ReadsFirstNames bool
	// KeepsLastConfigs: a driver knows only the last parameters for it in an allocation.
	KeepsLastConfigs bool
	// KeepsConfigs: a driver applies the parameters of an earlier claim to a device without
	// parameters.
	KeepsConfigs bool
	// StripsQuotes: a driver removes quotation marks from the values of parameters.
	StripsQuotes bool
	// StopsAtOtherConfigs: a driver ignores parameters that follow those for another
	// driver.
	StopsAtOtherConfigs bool
	// RestartUnconfigures: a restarted driver does not apply parameters to the devices of
	// prepared claims.
	RestartUnconfigures bool
	// RestartFillsDevices: a restarted driver prepares no further shares of the devices
	// of which it has prepared some.
	RestartFillsDevices bool
	// AdmitsAll: a driver prepares claims with any affinity values.
	AdmitsAll bool
	// AdmitsContradictions: a driver does not compare the affinity values of a
	// claim with the driver's own configuration in the claim.
	AdmitsContradictions bool
	// KeepsValues: a driver keeps the affinity values of unprepared claims and
	// rejects other values.
	KeepsValues bool
	// PreparesOnce: a driver fails to prepare a claim that is already prepared.
	PreparesOnce bool
	// PreparesOthersAgain: a driver returns different CDI devices when a claim
	// is prepared again.
	PreparesOthersAgain bool
	// UnpreparesAll: a driver unprepares all claims when it is asked to
	// unprepare one.
	UnpreparesAll bool
	// UnpreparesOnce: a driver fails to unprepare a claim that is not prepared.
	UnpreparesOnce bool
}

func (m DriverMistakes) addTo(all *Mistakes) { all.DriverMistakes = m }
