// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import "slices"

// Rule is a condition that correct objects satisfy.
type Rule struct {
	// ID is stable: the rule with an ID never changes its meaning.
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	// Sentence describes the condition.
	Sentence string `json:"sentence"`

	check func(*pass)
}

// Rules returns all rules in the order in which they are applied.
func Rules() []Rule { return slices.Clone(allRules) }

var allRules = []Rule{
	{"object-duplicate", Error, "There is one object of a kind and name.", objectDuplicate},
	{"name-invalid", Error, "Names have the form that the API demands: DNS labels for devices, counters and requests, DNS subdomains for drivers, pools and classes, C identifiers for attributes and capacities.", nameInvalid},
	{"name-duplicate", Error, "Names are unique in their list: devices and counter sets of a slice, counter sets that a device consumes from, requests of a claim, subrequests of a request.", nameDuplicate},
	{"slice-pool", Error, "A pool has at least one slice, and a generation that is not negative.", slicePool},
	{"slice-content", Error, "A slice has devices or counter sets, not both.", sliceContent},
	{"slice-node-selection", Error, "A slice says in one way on which nodes its devices are; with perDeviceNodeSelection each device says it instead.", sliceNodeSelection},
	{"slice-node-operations", Error, "NodePrepareResources is only skipped together with NodeUnprepareResources.", sliceNodeOperations},
	{"counters-missing", Error, "Counter sets, and what a device consumes of one, name at least one counter.", countersMissing},
	{"attribute-value", Error, "An attribute has one value: a number, a boolean, a string of at most 64 characters, or a semantic version of at most 64; or a list of such that is not empty.", attributeValue},
	{"request-policy", Error, "The policy of a capacity belongs to a device that allows multiple allocations, and its values agree with each other and with the capacity.", requestPolicy},
	{"binding-conditions", Error, "A device has binding conditions and binding failure conditions or neither, and no condition twice.", bindingConditions},
	{"limit-devices", Error, "A slice has at most 128 devices, 64 if any of them has taints, consumes counters or has lists as attributes.", limitDevices},
	{"limit-counter-sets", Error, "A slice has at most 8 counter sets.", limitCounterSets},
	{"limit-counters", Error, "A counter set has at most 32 counters, and a device consumes at most 32 of one set.", limitCounters},
	{"limit-consumption", Error, "A device consumes from at most 2 counter sets.", limitConsumption},
	{"limit-compatibility-groups", Error, "A device belongs to at most 2 compatibility groups of a counter set.", limitCompatibilityGroups},
	{"limit-attributes", Error, "A device has at most 32 attributes and capacities together.", limitAttributes},
	{"limit-attribute-values", Error, "The attributes of a device have at most 48 values together.", limitAttributeValues},
	{"limit-taints", Error, "A device has at most 16 taints.", limitTaints},
	{"limit-binding-conditions", Error, "A device has at most 4 binding conditions and 4 binding failure conditions.", limitBindingConditions},
	{"limit-policy-values", Error, "The policy of a capacity lists at most 10 values.", limitPolicyValues},
	{"limit-requests", Error, "A claim has at most 32 requests, 32 constraints and 32 entries of configuration; a request has at most 8 subrequests; a class has at most 32 entries of configuration.", limitRequests},
	{"limit-selectors", Error, "A class or a request has at most 32 selectors of at most 10240 characters each.", limitSelectors},
	{"limit-parameters", Error, "Opaque parameters have at most 10240 bytes.", limitParameters},
	{"limit-results", Error, "A claim requests at most 32 devices.", limitResults},
	{"request-form", Error, "A request has either exactly or firstAvailable; its count is at least 1 with ExactCount, and not set with All.", requestForm},
	{"request-unknown", Error, "Constraints and configuration name requests that the claim has.", requestUnknown},
	{"constraint-form", Error, "A constraint names one attribute, with its domain.", constraintForm},
	{"parameters-form", Error, "Opaque parameters are a JSON object for a named driver.", parametersForm},
	{"affinity-declaration", Error, "The annotation draconform.dev/sharing-affinity is a JSON object from devices to attributeKeys: 1 to 8 different names, each with its domain; otherwise no device of the slice is allocated.", affinityDeclaration},
	{"affinity-entry", Error, "Parameters for the driver resource.k8s.io are an object that can be decoded, as StructuredParameters with at most 8 attributes if it says so, each with its domain.", affinityEntry},
	{"affinity-entry-duplicate", Error, "A request has at most one entry of the kind StructuredParameters, that of its class included.", affinityEntryDuplicate},
	{"selector-invalid", Error, "A selector is a CEL expression that compiles to a boolean and is not too expensive.", selectorInvalid},
	{"pool-duplicate-device", Error, "A device name is unique among the slices of a pool that a node sees.", poolDuplicateDevice},
	{"pool-duplicate-counter-set", Error, "The name of a counter set is unique in a pool.", poolDuplicateCounterSet},
	{"pool-unknown-counter-set", Error, "Devices consume from counter sets that their pool has.", poolUnknownCounterSet},
	{"pool-unknown-counter", Error, "Devices consume counters that the counter set has.", poolUnknownCounter},

	{"pool-incomplete", Warning, "A pool has as many slices as its resourceSliceCount; otherwise none of its devices are allocated.", poolIncomplete},
	{"pool-generations", Warning, "All slices of a pool are of one generation; only the newest counts.", poolGenerations},
	{"pool-ambiguous-device", Warning, "A device name is unique in a pool, even if no node sees both devices: claims identify devices by driver, pool and name.", poolAmbiguousDevice},
	{"counter-negative", Warning, "Counters, and what devices consume of them, are not negative.", counterNegative},
	{"counter-unreachable", Warning, "A device consumes no more than its counter set has; otherwise it can never be allocated.", counterUnreachable},
	{"counter-set-unused", Warning, "Each counter set is consumed from by a device.", counterSetUnused},
	{"counter-remainder", Warning, "Some combination of devices uses up a counter that is consumed.", counterRemainder},
	{"device-order", Warning, "A device that consumes less comes before one that consumes more of the same counter set; otherwise first fit takes the larger one.", deviceOrder},
	{"capacity-no-default", Warning, "A capacity of a device that allows multiple allocations has a default; otherwise a claim that does not request an amount consumes all of it.", capacityNoDefault},
	{"affinity-device", Warning, "The annotation draconform.dev/sharing-affinity names only devices of the slice that allow multiple allocations.", affinityDevice},
	{"affinity-entry-unknown", Warning, "Parameters for the driver resource.k8s.io are StructuredParameters of resource.k8s.io/v1alpha1; others are ignored.", affinityEntryUnknown},
	{"affinity-value", Warning, "The value of a key that devices of the checked slices declare is a string.", affinityValue},
	{"selector-fails", Warning, "A selector evaluates without an error for every device that it is applied to; otherwise the pod is not scheduled.", selectorFails},
	{"class-matches-nothing", Warning, "A class matches a device of the checked slices.", classMatchesNothing},
}
