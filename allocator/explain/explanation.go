// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package explain describes why claims were allocated as they were on a node, or why they were not. Explanations are
// returned by Explain of package allocator.
package explain

// Explanation is the result of Allocate on a node and the reasons for it. It does not change after it was returned.
// Its JSON form has stable field names. Its lists are bounded as documented at the fields, so it does not grow with
// the cluster.
type Explanation struct {
	// Node is the name of the node.
	Node string `json:"node"`
	// Outcome is the result of Allocate.
	Outcome Outcome `json:"outcome"`
	// Error is the text of the error if Outcome is OutcomeError.
	Error string `json:"error,omitempty"`
	// Devices is the number of devices that the node sees in complete and valid pools. Elsewhere is the number of
	// devices in slices that the node does not see.
	Devices   int `json:"devices"`
	Elsewhere int `json:"elsewhere,omitempty"`
	// Claims are in the given order. Claims after one that cannot be compiled are omitted.
	Claims []Claim `json:"claims"`
	// Blocking names the requests (as "namespace/claim: request") that do not fit even alone.
	Blocking []string `json:"blocking,omitempty"`
	// Conflict is set if every request fits alone but not all of them fit together.
	Conflict *Conflict `json:"conflict,omitempty"`
	// Pools are pools that the node sees and that are not used as published, at most 16.
	Pools []PoolProblem `json:"pools,omitempty"`
	// Pictures show the counters of pools from which a request selects devices, at most 4.
	Pictures []Picture `json:"pictures,omitempty"`
}

// Outcome is the result for all claims or for some of their requests.
type Outcome string

// Outcomes of a search. OutcomeUnknown is used only for parts of claims, if the search exceeds its limit.
const (
	OutcomeFit     Outcome = "Fit"
	OutcomeNoFit   Outcome = "NoFit"
	OutcomeError   Outcome = "Error"
	OutcomeUnknown Outcome = "Unknown"
)

// Claim describes one claim.
type Claim struct {
	// Name is "namespace/name", or the name if there is no namespace.
	Name string `json:"name"`
	// Error describes a problem of the constraints of the claim.
	Error    string    `json:"error,omitempty"`
	Requests []Request `json:"requests"`
}

// Request describes one request of a claim.
type Request struct {
	Name string `json:"name"`
	// Error describes a problem of the request itself, for instance a disabled feature.
	Error string `json:"error,omitempty"`
	// Alternatives are the subrequests in order of preference, or the request itself. For a request that fits, the
	// list ends with the chosen alternative.
	Alternatives []Alternative `json:"alternatives"`
}

// Alternative describes one way to satisfy a request.
//
// Considered equals len(Chosen) plus Free plus the devices of all Reasons.
type Alternative struct {
	// Name is the request as in allocation results: "request" or "request/subrequest".
	Name string `json:"name"`
	// Count is the number of requested devices, 0 if All.
	Count int  `json:"count,omitempty"`
	All   bool `json:"all,omitempty"`
	// Error describes a problem of the alternative itself, for instance a class that does not exist.
	Error string `json:"error,omitempty"`
	// Considered is the number of evaluated devices. These are all devices that the node sees. For the chosen
	// alternative, these are only the devices up to the last chosen one.
	Considered int `json:"considered"`
	// Matched is the number of these devices that the class, the selectors and the node selection of the device
	// allow.
	Matched int `json:"matched"`
	// Free is the number of devices that could be chosen, each considered separately.
	Free int `json:"free"`
	// Alone reports whether the alternative fits without the other requests. It is empty if this was not checked.
	Alone Outcome `json:"alone,omitempty"`
	// Most is the largest number of devices that can be chosen at the same time. It is set if it is less than both
	// Count and Free. Remainder then reports what excludes the other devices after Most devices were chosen.
	Most      int        `json:"most,omitempty"`
	Remainder *Remainder `json:"beside,omitempty"`
	// Chosen are the chosen devices as "driver/pool/device".
	Chosen []string `json:"chosen,omitempty"`
	// Reasons describe why the other devices were excluded, the most useful first. Reasons after the first 8 are
	// merged by kind.
	Reasons []Reason `json:"reasons,omitempty"`
}

// Remainder describes what remains for a request after other devices were chosen.
type Remainder struct {
	// Chosen are these devices.
	Chosen []Choice `json:"chosen"`
	// Alternatives are the alternatives of the request, evaluated after these choices, without the devices that were
	// chosen for the request itself.
	Alternatives []Alternative `json:"alternatives"`
}

// Choice is one device that was chosen for a request.
type Choice struct {
	// Request is "namespace/claim: request", or "namespace/claim: request/subrequest".
	Request string `json:"request"`
	// Device is "driver/pool/device".
	Device string `json:"device"`
}

// Conflict describes requests that fit separately but not together.
type Conflict struct {
	// Requests are named "namespace/claim: request".
	Requests []string `json:"requests"`
	// Smallest reports whether the other requests fit as soon as any one of the requests is removed. It is false if
	// a search exceeded its limit.
	Smallest bool `json:"smallest"`
	// Example is the evaluation of the last request after the others received what they would receive without it.
	Example *Remainder `json:"example,omitempty"`
}

// Reason describes why some devices were excluded. A device counts for one reason only, the first in the order in
// which the allocator checks: feature, class, selectors, node, capacity, taint, in use, remaining amounts.
type Reason struct {
	Kind ReasonKind `json:"kind"`
	// Devices is the number of devices. Examples are some of them as "driver/pool/device", at most 3.
	Devices  int      `json:"devices"`
	Examples []string `json:"examples,omitempty"`
	// Message describes the reason. It is the same for all of the devices.
	Message string `json:"message"`
	// Expression is the CEL expression of ReasonClass, ReasonSelector and ReasonSelectorError.
	Expression string `json:"expression,omitempty"`
	// Name is the counter ("set/counter"), capacity, taint key, key of the sharing affinity, attribute of the
	// constraint, or feature.
	Name string `json:"name,omitempty"`
	// Need and Left are quantities of ReasonCounter, ReasonCapacity and ReasonCapacityLeft. For ReasonConstraint
	// they are the value of the device and the value of a device that was chosen before. For ReasonAffinity they are
	// the value of the request and the value to which the device is locked.
	Need string `json:"need,omitempty"`
	Left string `json:"left,omitempty"`
	// Holders are the known claims that hold the devices of ReasonInUse or that use the counter or capacity, at most
	// 3. HeldDevices are the devices that use the counter, at most 3.
	Holders     []string `json:"holders,omitempty"`
	HeldDevices []string `json:"heldDevices,omitempty"`
}

// ReasonKind classifies reasons.
type ReasonKind string

// Kinds of reasons, the most useful first. Kinds of devices that passed more checks, and whose state can change,
// precede kinds of devices that never fit.
const (
	// ReasonCounter: a counter of the pool has too little left (KEP-4815).
	ReasonCounter ReasonKind = "Counter"
	// ReasonCapacityLeft: a shared device has too little left of a capacity (KEP-5075).
	ReasonCapacityLeft ReasonKind = "CapacityLeft"
	// ReasonAffinity: claims that share the device state other values, or the request lacks a value (KEP-5981).
	ReasonAffinity ReasonKind = "SharingAffinity"
	// ReasonConstraint: an attribute is missing or conflicts with the attribute of a device that was chosen before.
	ReasonConstraint ReasonKind = "Constraint"
	// ReasonGroups: the device has no compatibility group in common with the devices in use on the same counter set.
	ReasonGroups ReasonKind = "CompatibilityGroups"
	// ReasonTaken: the device is chosen for another request of the same claims.
	ReasonTaken ReasonKind = "Taken"
	// ReasonLater: the device is free, but no solution exists if it is chosen.
	ReasonLater ReasonKind = "LaterRequest"
	// ReasonInUse: the device is allocated.
	ReasonInUse ReasonKind = "InUse"
	// ReasonTaint: the device has a taint that is not tolerated.
	ReasonTaint ReasonKind = "Taint"
	// ReasonNodeOperations: the slice skips node operations, which the node does not declare to support.
	ReasonNodeOperations ReasonKind = "NodeOperations"
	// ReasonFeature: the device needs a feature that is disabled.
	ReasonFeature ReasonKind = "FeatureOff"
	// ReasonCapacity: the device is too small, lacks the capacity, or its request policy forbids the amount.
	ReasonCapacity ReasonKind = "Capacity"
	// ReasonNode: the node selection of the device does not match the node.
	ReasonNode ReasonKind = "NodeSelection"
	// ReasonSelectorError: evaluating a selector or the node selection fails.
	ReasonSelectorError ReasonKind = "SelectorError"
	// ReasonSelector: a selector of the request is false.
	ReasonSelector ReasonKind = "Selector"
	// ReasonClass: a selector of the class is false.
	ReasonClass ReasonKind = "ClassSelector"
)

var usefulness = []ReasonKind{
	ReasonCounter, ReasonCapacityLeft, ReasonAffinity, ReasonConstraint, ReasonGroups, ReasonTaken, ReasonLater, ReasonInUse, ReasonTaint,
	ReasonNodeOperations, ReasonFeature, ReasonCapacity, ReasonNode, ReasonSelectorError, ReasonSelector, ReasonClass,
}

// PoolProblem describes a pool that the node sees and that is not used as published.
type PoolProblem struct {
	Driver string `json:"driver"`
	Pool   string `json:"pool"`
	// Kind is Incomplete, Invalid, Superseded (a newer generation was published elsewhere), FeatureOff or
	// BesideCounters (devices in a slice with counters, which are not offered since Kubernetes 1.35).
	Kind string `json:"kind"`
	// Message describes the problem.
	Message string `json:"message"`
	// Devices is the number of devices that are unavailable because of the problem.
	Devices int `json:"devices"`
}
