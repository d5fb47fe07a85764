// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

// DriverMistakes are faults of the driver's controller.
type DriverMistakes struct {
	// GivesTwice makes it ignore which devices are in use.
	GivesTwice bool
	// KeepsDevices makes it keep the devices of claims that it deallocates.
	KeepsDevices bool
	// KeepsOrphans makes it keep the devices of claims that no longer exist.
	KeepsOrphans bool
	// AnswersFirst makes it answer about the first claim of a pod only.
	AnswersFirst bool
	// AnswersNothing makes it never answer.
	AnswersNothing bool
	// NeverReserves makes it allocate claims without reserving them.
	NeverReserves bool
	// TrustsAll makes it ignore who owns a PodSchedulingContext.
	TrustsAll bool
	// Follows makes it reallocate claims if another node is selected.
	Follows bool
	// GivesUp makes it never try again what has failed.
	GivesUp bool
	// Silent makes it report no failures.
	Silent bool
	// Leaks makes the next process not know which claim had a device before it had
	// its allocation.
	Leaks bool
	// LooksAhead makes it handle only what happens while it runs.
	LooksAhead bool
	// Splits makes a second instance not know what the first one has given.
	Splits bool
	// KeepsUnused makes it deallocate deleted claims only.
	KeepsUnused bool
	// AnswersOnce makes it never change an answer.
	AnswersOnce bool
	// Hastens makes it allocate claims before a node is selected.
	Hastens bool
	// Anonymous makes it write allocations without its name.
	Anonymous bool
	// WaitsForPods makes it allocate no claims without a pod.
	WaitsForPods bool
	// IgnoresModes makes it allocate all claims without a pod.
	IgnoresModes bool
	// Forgets makes it forget at a restart which claims have devices.
	Forgets bool
	// GivesOne makes it ignore all requests of a claim but the first.
	GivesOne bool
	// IgnoresLimit makes it allow as many devices to be in use as there are.
	IgnoresLimit bool
	// SplitsNetwork makes it give devices of the network once to each node.
	SplitsNetwork bool
	// ConfinesNetwork makes it state that devices of the network can be used on one node.
	ConfinesNetwork bool
	// FreesDevices makes it free all devices when it deallocates a claim.
	FreesDevices bool
	// KeepsDeleted makes it keep claims that are deleted.
	KeepsDeleted bool
	// FreesUsed makes it free the devices of deleted claims that pods use.
	FreesUsed bool
	// IgnoresParameters makes it ignore the parameters of classes.
	IgnoresParameters bool
	// IgnoresSelection makes it allocate claims for the first node, whichever is selected.
	IgnoresSelection bool
	// ServesAll makes it allocate the claims of all drivers, if a spec has started it.
	ServesAll bool
	// StandsBy makes no other instance take over, nor the next process.
	StandsBy bool
	// DropsOthers makes it replace the answers of other drivers.
	DropsOthers bool
	// CountsAllocated makes it expect devices for claims that have theirs.
	CountsAllocated bool
	// OnlyFrees makes it never add nodes to an answer.
	OnlyFrees bool
	// IsAnywhere makes it state that devices can be used on all nodes.
	IsAnywhere bool
	// KeepsFailed makes it keep its finalizer on claims that it could not allocate.
	KeepsFailed bool
	// NoFinalizer makes it allocate claims without its finalizer.
	NoFinalizer bool
	// RemovesFinalizers makes it remove the finalizers of others.
	RemovesFinalizers bool
	// FreesShared makes it deallocate claims that one pod uses still.
	FreesShared bool
	// ServesLeaving makes it serve pods that are being deleted.
	ServesLeaving bool
	// FreesAll makes it deallocate all claims if it is asked to deallocate one.
	FreesAll bool
	// ComparesNames makes it take claims of the same name in two namespaces for one.
	ComparesNames bool
	// LeavesHalf makes the next process forget which claims the last one was deallocating.
	LeavesHalf bool
	// FollowsOthers makes it reallocate claims if another node is selected for another pod.
	FollowsOthers bool
	// IgnoresClaimParameters makes it ignore the parameters of claims.
	IgnoresClaimParameters bool
}
