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
	// The faults of components.
	Scheduler SchedulerMistakes
	Manager   ManagerMistakes
	Driver    DriverMistakes
	Kubelet   KubeletMistakes
}

// The messages of validation errors, which [Mistakes.Admits] may list.
const (
	DriverName      = "spec.controller: must be a DNS subdomain"
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
	TooMuchData     = "data: Too long: may not be longer than 16384"
)

// validate returns why an object is invalid, or an empty string.
func (c *Cluster) validate(resource string, old, o object) string {
	var all []string
	add := func(invalid bool, message string) {
		if invalid {
			all = append(all, message)
		}
	}
	drops := c.mistakes.WithoutGate && !c.mistakes.KeepsFields && old == nil
	switch resource {
	case "deviceclasses":
		if drops {
			delete(at(o, "spec"), "suitableNodes")
		}
	case "resourceclaims":
		validateClaim(old, o, add)
		if drops || c.mistakes.DropsController && old == nil {
			delete(at(o, "spec"), "controller")
		}
	case "podschedulingcontexts":
		for _, nodes := range append([][]any{list(o, "spec", "potentialNodes")}, unsuitable(o)...) {
			add(len(nodes) > 128, TooManyNodes)
			add(hasTwice(nodes), Twice)
		}
		add(hasTwice(names(list(o, "status", "resourceClaims"))), Twice)
	}
	var left []string
	for _, message := range all {
		if !c.admits(message) {
			left = append(left, message)
		}
	}
	return strings.Join(left, ", ")
}

func validateClaim(old, o object, add func(bool, string)) {
	controller := text(o, "spec", "controller")
	add(strings.ToLower(controller) != controller || strings.ContainsAny(controller, "_ /"), DriverName)
	status, before := at(o, "status"), at(old, "status")
	users, asked := list(o, "status", "reservedFor"), status["deallocationRequested"] == true
	add(asked && status["allocation"] == nil, NoAllocation)
	add(asked && len(users) > 0, StillReserved)
	add(before["deallocationRequested"] == true && !asked && status["allocation"] != nil, NotCleared)
	add(before["allocation"] != nil && status["allocation"] != nil && fmt.Sprint(before["allocation"]) != fmt.Sprint(status["allocation"]), Immutable)
	deleted := at(o, "metadata")["deletionTimestamp"] != nil
	add(len(users) > len(list(old, "status", "reservedFor")) && (deleted || before["deallocationRequested"] == true), NoNewUsers)
	add(len(users) > 0 && status["allocation"] == nil, UnallocatedUser)
	add(len(users) > 32, TooManyUsers)
	add(len(users) > 1 && isForOne(o), ReservedTwice)
	add(hasTooMuchData(o), TooMuchData)
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

func names(entries []any) []any {
	var all []any
	for _, e := range entries {
		all = append(all, e.(object)["name"])
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
