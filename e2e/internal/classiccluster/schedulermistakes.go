// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

// SchedulerMistakes are faults of the scheduler.
type SchedulerMistakes struct {
	// Orphans makes it create contexts without an owner.
	Orphans bool
	// AsksAboutAll makes it ask about nodes on which the pod cannot run.
	AsksAboutAll bool
	// Hurries makes it select a node before all drivers have answered.
	Hurries bool
	// NeverSelects makes it wait for answers even if only one claim is pending.
	NeverSelects bool
	// Insists makes it keep the selected node if it is unsuitable.
	Insists bool
	// HearsFirst makes it ignore all answers except for the first one.
	HearsFirst bool
	// KeepsContexts makes it keep the contexts of bound pods.
	KeepsContexts bool
	// KeepsAllocations makes it never ask for deallocation.
	KeepsAllocations bool
	// TakesUsed makes it ask for the deallocation of claims that other pods use.
	TakesUsed bool
	// IgnoresClasses makes it ignore the nodes of classes.
	IgnoresClasses bool
	// RemembersClasses makes it use classes as they were when it first saw them.
	RemembersClasses bool
	// NeedsNoClass makes it schedule pods whose class does not exist.
	NeedsNoClass bool
	// Blocks makes it schedule no other pods while one waits for a driver.
	Blocks bool
	// UsesLeaving makes it use claims that are to be deallocated.
	UsesLeaving bool
	// OneUser makes it reserve a claim for one pod only.
	OneUser bool
	// Wanders makes it ignore where a claim is available.
	Wanders bool
	// IgnoresStructured makes it ignore where claims can be allocated that it has to
	// allocate itself.
	IgnoresStructured bool
	// AsksForImmediate makes it ask drivers for claims that are allocated immediately.
	AsksForImmediate bool
	// FreesImmediate makes it ask for the deallocation of such claims.
	FreesImmediate bool
	// AsksOnce makes it never change the potential nodes.
	AsksOnce bool
	// SharesAll makes it try to reserve claims for several pods that are not shareable.
	SharesAll bool
	// GivesUp makes it forget pods whose claim another one uses.
	GivesUp bool
	// LosesWaiting makes it forget pods that wait for drivers when it is restarted.
	LosesWaiting bool
	// CountsAll makes it count allocated claims as well when it decides whether to wait
	// for answers.
	CountsAll bool
	// KeepsSelection makes it ask for deallocation while a node is still selected.
	KeepsSelection bool
	// FreesAll makes it ask for the deallocation of all claims that it may choose from.
	FreesAll bool
	// FirstClass makes it ignore the nodes of all classes of a claim but the first.
	FirstClass bool
	// FirstTerm makes it ignore all terms of the nodes of an allocation but the first.
	FirstTerm bool
	// FirstAllocation makes it ignore where all claims but the first are available.
	FirstAllocation bool
	// IgnoresFields makes it ignore the names of nodes in an allocation.
	IgnoresFields bool
	// HeedsOldAnswers makes it heed answers about claims that are allocated.
	HeedsOldAnswers bool
	// HeedsOldClasses makes it heed the classes of claims that are allocated.
	HeedsOldClasses bool
	// FirstExcluded makes it ignore all unsuitable nodes for a claim but the first.
	FirstExcluded bool
	// KeepsExcluded makes it never consider nodes again that were unsuitable.
	KeepsExcluded bool
	// SkipsGenerated makes it ignore claims that are generated for a pod.
	SkipsGenerated bool
	// WakesOne makes it forget the other pods that wait for a claim.
	WakesOne bool
	// RemembersAnswers makes it use answers about a pod for another one of that name.
	RemembersAnswers bool
	// BindsUnreserved makes it bind pods that it cannot reserve a claim for.
	BindsUnreserved bool
	// AsksForDeleted makes it ask drivers for claims that are deleted.
	AsksForDeleted bool
	// ListsAll makes it list all nodes, however many there are.
	ListsAll bool
	// BindsEarly makes it bind pods when one of their claims is allocated.
	BindsEarly bool
	// FirstPending makes it ignore the nodes of the classes of all pending claims but the
	// first.
	FirstPending bool
	// FirstLeaving makes it use claims that are to be deallocated if they are not the first
	// of their pod.
	FirstLeaving bool
	// SkipsImmediate makes it ask about other claims of a pod before one that is
	// allocated immediately is.
	SkipsImmediate bool
}
