// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"fmt"
	"slices"
	"strings"
)

// Mistakes are the faults of the cluster.
type Mistakes struct {
	// Busy makes each tenth read fail once. That is no fault.
	Busy bool
	// Earlier makes it a cluster of Kubernetes 1.30.
	Earlier bool
	// Admits lists validation rules that the API server does not have, by the messages
	// of their errors.
	Admits []string
	// IgnoresFinalizers makes the API server remove deleted objects at once.
	IgnoresFinalizers bool
	// WithoutGate makes it a cluster without DRAControlPlaneController, which drops the
	// fields of the feature, unless KeepsFields is set.
	WithoutGate, KeepsFields bool
	// NoDefaultMode makes the API server of 1.30 set no default allocation mode.
	NoDefaultMode bool
	// DropsData makes the API server of 1.30 drop the data of allocations when a class is
	// deleted.
	DropsData bool
	// DropsController makes the API server drop spec.controller.
	DropsController bool
	// KeepsStatus makes an API server without the gate keep the fields of the feature in
	// the status of claims.
	KeepsStatus bool
	// MixesParts makes the API server change spec and status of a PodSchedulingContext in
	// one request.
	MixesParts bool
	// Upgrade are faults of changes of the release.
	Upgrade UpgradeMistakes
	// The faults of components.
	Scheduler SchedulerMistakes
	Manager   ManagerMistakes
	Driver    DriverMistakes
	Kubelet   KubeletMistakes
}

// The messages of validation errors, which [Mistakes.Admits] may list.
const (
	DriverName      = "spec.controller: must be a DNS subdomain"
	TemplateDriver  = "spec.spec.controller: must be a DNS subdomain"
	AllocatorName   = "status.allocation.controller: must be a DNS subdomain"
	FixedSpec       = "spec: field is immutable"
	NoAllocation    = "`allocation` must be set when `deallocationRequested` is set"
	StillReserved   = "deallocation cannot be requested while `reservedFor` is set"
	NotCleared      = "deallocationRequested may not be cleared when `allocation` is set"
	Immutable       = "allocation: field is immutable"
	NoNewUsers      = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"
	UnallocatedUser = "reservedFor: may not be specified when `allocated` is not set"
	TooManyUsers    = "reservedFor: Too long: may not be longer than 32"
	ReservedTwice   = "reservedFor: may not be reserved more than once"
	TooManyNodes    = "Too long: may not be longer than 128"
	Twice           = "Duplicate value"
	NodeName        = "Nodes[0]: Invalid value"
	ClassNodes      = "suitableNodes.nodeSelectorTerms[0].matchExpressions[0].operator: Invalid value"
	ClassNoTerm     = "suitableNodes.nodeSelectorTerms: Required value"
	AllocatedNodes  = "status.allocation.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].operator: Invalid value"
	ResultRequest   = "status.allocation.devices.results[0].request: Invalid value"
	ResultDriver    = "status.allocation.devices.results[0].driver: Invalid value"
	ResultPool      = "status.allocation.devices.results[0].pool: Invalid value"
	ResultDevice    = "status.allocation.devices.results[0].device: Invalid value"
	UserResource    = "status.reservedFor[0].resource: Required value"
	UserName        = "status.reservedFor[0].name: Required value"
	UserUID         = "status.reservedFor[0].uid: Required value"
	// NewStatus is no error: the status of new claims is dropped.
	NewStatus   = "the status of a new claim"
	TooMuchData = "data: Too long: may not be longer than 16384"

	// Rules of 1.30.
	NoKind        = "parametersRef.kind: Required value"
	NoName        = "parametersRef.name: Required value"
	UnknownMode   = "spec.allocationMode: Unsupported value"
	ClassDriver   = "driverName: Invalid value"
	NoAllocator   = "status.driverName: Required value: must be specified when `allocation` is set"
	TooManyHandle = "resourceHandles: Too long: may not be longer than 32"

	// The same rules for other changes.
	ImmutableController = "status.allocation: field is immutable (controller)"
	ImmutableDevices    = "status.allocation: field is immutable (devices)"
	NoOtherUsers        = NoNewUsers + " (another one)"
	NotDeallocated      = UnallocatedUser + " (any more)"
	UserTwice           = "uid: Duplicate value"
	UnsuitableTwice     = "unsuitableNodes: Duplicate value"
)

// validate returns why an object is invalid, or an empty string.
func (c *Cluster) validate(resource string, old, o object) string {
	var all []string
	add := func(invalid bool, message string) {
		if invalid {
			all = append(all, message)
		}
	}
	if c.mistakes.Earlier {
		validateEarlier(resource, o, add)
	}
	drops := c.mistakes.WithoutGate && !c.mistakes.KeepsFields && old == nil || !c.isClassic() && !c.mistakes.Upgrade.KeepsFields
	switch resource {
	case "deviceclasses":
		validateSelector(at(o, "spec", "suitableNodes"), ClassNodes, ClassNoTerm, add)
		if drops {
			delete(at(o, "spec"), "suitableNodes")
		}
	case "resourceclaimtemplates":
		add(!isDriverName(text(o, "spec", "spec", "controller")), TemplateDriver)
	case "resourceclaims":
		validateClaim(old, o, add)
		validateResults(o, add)
		if old == nil && !c.admits(NewStatus) {
			delete(o, "status")
		}
		if drops || c.mistakes.DropsController && old == nil {
			delete(at(o, "spec"), "controller")
		}
		if c.mistakes.WithoutGate && !c.mistakes.KeepsStatus && text(o, "spec", "controller") == "" {
			delete(at(o, "status", "allocation"), "controller")
			delete(at(o, "status"), "deallocationRequested")
		}
	case "podschedulingcontexts":
		validateContext(o, add)
	}
	var left []string
	for _, message := range all {
		if !c.admits(message) {
			left = append(left, message)
		}
	}
	return strings.Join(left, ", ")
}

func validateContext(o object, add func(bool, string)) {
	potential := list(o, "spec", "potentialNodes")
	add(hasTwice(potential), Twice)
	for _, nodes := range unsuitable(o) {
		add(hasTwice(nodes), UnsuitableTwice)
	}
	for _, nodes := range append(unsuitable(o), potential) {
		add(len(nodes) > 128, TooManyNodes)
		add(slices.ContainsFunc(nodes, func(name any) bool { return !isDriverName(fmt.Sprint(name)) }), NodeName)
	}
	add(hasTwice(values(list(o, "status", "resourceClaims"), "name")), Twice)
}

// isDriverName reports whether a name may be that of a driver. Names of nodes are alike.
func isDriverName(name string) bool {
	return strings.ToLower(name) == name && !strings.ContainsAny(name, "_ /")
}

func validateClaim(old, o object, add func(bool, string)) {
	add(!isDriverName(text(o, "spec", "controller")), DriverName)
	add(!isDriverName(text(o, "status", "allocation", "controller")), AllocatorName)
	add(old != nil && fmt.Sprint(old["spec"]) != fmt.Sprint(o["spec"]), FixedSpec)
	status, before := at(o, "status"), at(old, "status")
	users, asked := list(o, "status", "reservedFor"), status["deallocationRequested"] == true
	add(asked && status["allocation"] == nil, NoAllocation)
	add(asked && len(users) > 0, StillReserved)
	add(before["deallocationRequested"] == true && !asked && status["allocation"] != nil, NotCleared)
	validateAllocation(at(before, "allocation"), at(status, "allocation"), add)
	leaving := at(o, "metadata")["deletionTimestamp"] != nil || before["deallocationRequested"] == true
	former := list(old, "status", "reservedFor")
	add(leaving && len(users) > len(former), NoNewUsers)
	add(leaving && len(users) <= len(former) && !isPartOf(values(users, "uid"), values(former, "uid")), NoOtherUsers)
	add(len(users) > 0 && status["allocation"] == nil && before["allocation"] == nil, UnallocatedUser)
	add(len(users) > 0 && status["allocation"] == nil && before["allocation"] != nil, NotDeallocated)
	add(len(users) > 32, TooManyUsers)
	add(hasTwice(values(users, "uid")), UserTwice)
	add(len(users) > 1 && isForOne(o), ReservedTwice)
	add(hasTooMuchData(o), TooMuchData)
}

// validateAllocation validates the change of an allocation.
func validateAllocation(before, now object, add func(bool, string)) {
	if before == nil || now == nil {
		return
	}
	differ := func(fields ...string) bool {
		return slices.ContainsFunc(fields, func(field string) bool { return fmt.Sprint(before[field]) != fmt.Sprint(now[field]) })
	}
	add(differ("nodeSelector", "availableOnNodes"), Immutable)
	add(differ("controller"), ImmutableController)
	add(differ("devices", "resourceHandles"), ImmutableDevices)
}

func isPartOf(some, all []any) bool {
	return !slices.ContainsFunc(some, func(one any) bool { return !slices.Contains(all, one) })
}

// admits reports whether the API server lacks a validation rule.
func (c *Cluster) admits(message string) bool { return slices.Contains(c.mistakes.Admits, message) }

func unsuitable(o object) [][]any {
	var all [][]any
	for _, answer := range list(o, "status", "resourceClaims") {
		nodes, _ := answer.(object)["unsuitableNodes"].([]any)
		all = append(all, nodes)
	}
	return all
}

// values returns the values of a field of entries.
func values(entries []any, field string) []any {
	var all []any
	for _, e := range entries {
		all = append(all, e.(object)[field])
	}
	return all
}

func hasTwice(values []any) bool {
	seen := map[any]bool{}
	for _, v := range values {
		if seen[v] {
			return true
		}
		seen[v] = true
	}
	return false
}
