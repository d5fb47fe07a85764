// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"maps"
	"slices"
)

// Rule identifies a promise that an Auditor checks.
type Rule string

// The rules.
const (
	DeviceOnce          Rule = "device-once"
	DeviceOffered       Rule = "device-offered"
	PoolComplete        Rule = "pool-complete"
	PoolValid           Rule = "pool-valid"
	CountersSuffice     Rule = "counters-suffice"
	GroupsCompatible    Rule = "groups-compatible"
	CapacitySuffices    Rule = "capacity-suffices"
	CapacityConsumed    Rule = "capacity-consumed"
	RequestSatisfied    Rule = "request-satisfied"
	RequestAll          Rule = "request-all"
	SelectorAccepts     Rule = "selector-accepts"
	ClassAccepts        Rule = "class-accepts"
	AttributesMatch     Rule = "attributes-match"
	AttributesDiffer    Rule = "attributes-differ"
	ConfigurationCopied Rule = "configuration-copied"
	TaintTolerated      Rule = "taint-tolerated"
	AdminNamespace      Rule = "admin-namespace"
	AdminAsRequested    Rule = "admin-as-requested"
	NodesReachDevices   Rule = "nodes-reach-devices"
	PodOnNode           Rule = "pod-on-node"
	PodReserved         Rule = "pod-reserved"
	ReservedAllocated   Rule = "reserved-allocated"
	ReservedLimit       Rule = "reserved-limit"
	AllocationKept      Rule = "allocation-kept"
	StatusOfAllocated   Rule = "status-of-allocated"
	AffinityValuesMeet  Rule = "affinity-values-meet"
)

// Promise describes a rule: the component that keeps it, the description, and
// its sources, which are KEPs and API fields.
type Promise struct{ By, Says, Source string }

var promises = map[Rule]Promise{
	DeviceOnce: {"scheduler", "a device is allocated once, unless each of its allocations is a share of its own",
		"KEP-4381; KEP-5075; API DeviceRequestAllocationResult.shareID"},
	DeviceOffered: {"scheduler", "devices are allocated that a slice of the pool's newest generation offers",
		"KEP-4381; API ResourcePool.generation"},
	PoolComplete: {"scheduler", "since Kubernetes 1.35 nothing is allocated from a pool some of whose slices are not there",
		"KEP-4815; API ResourcePool.resourceSliceCount"},
	PoolValid: {"scheduler", "nothing is allocated from a pool that contradicts itself",
		"KEP-4381; KEP-4815, validation of pools"},
	CountersSuffice: {"scheduler", "the devices that are allocated consume no more of a counter than there is",
		"KEP-4815; API CounterSet.counters, Device.consumesCounters"},
	GroupsCompatible: {"scheduler", "the devices that consume from a counter set have a compatibility group in common, or none of them has a group",
		"KEP-5963; API DeviceCounterConsumption.compatibilityGroups"},
	CapacitySuffices: {"scheduler", "the shares of a device consume no more of a capacity than it has",
		"KEP-5075; API DeviceRequestAllocationResult.consumedCapacity"},
	CapacityConsumed: {"scheduler", "a share consumes what its request asks for, rounded up as the device's policy says, and the default of what it does not ask for",
		"KEP-5075; API CapacityRequirements.requests, CapacityRequestPolicy"},
	RequestSatisfied: {"scheduler", "a claim has the devices of all its requests, of one alternative each, and no others",
		"KEP-4381; KEP-4816; API ExactDeviceRequest.count, DeviceRequest.firstAvailable"},
	RequestAll: {"scheduler", "a request with allocationMode All has all devices that it matches on the node",
		"KEP-4381; API ExactDeviceRequest.allocationMode"},
	SelectorAccepts: {"scheduler", "all selectors of a request accept its devices",
		"KEP-4381; API ExactDeviceRequest.selectors"},
	ClassAccepts: {"scheduler", "all selectors of a request's class accept its devices",
		"KEP-4381; API DeviceClassSpec.selectors"},
	AttributesMatch: {"scheduler", "the devices under a constraint have the attribute, and the same value",
		"KEP-4381; API DeviceConstraint.matchAttribute"},
	AttributesDiffer: {"scheduler", "the devices under a constraint have the attribute, and different values",
		"KEP-5075; API DeviceConstraint.distinctAttribute"},
	ConfigurationCopied: {"scheduler", "devices are configured by their request's class, then by what the claim has for the request or the alternative taken, and by nothing else",
		"KEP-4381; KEP-4816; API DeviceAllocationResult.config"},
	TaintTolerated: {"scheduler", "a device with the taint NoSchedule or NoExecute is allocated only to requests that tolerate it",
		"KEP-5055; API DeviceTaint.effect, ExactDeviceRequest.tolerations"},
	AdminNamespace: {"API server", "admin access is for claims in namespaces with the label resource.kubernetes.io/admin-access: \"true\"",
		"KEP-5018; API ExactDeviceRequest.adminAccess"},
	AdminAsRequested: {"scheduler", "a device is allocated for admin access if the request asks for that, and not otherwise",
		"KEP-5018; API DeviceRequestAllocationResult.adminAccess"},
	NodesReachDevices: {"scheduler", "an allocation is for nodes from which all its devices can be reached",
		"KEP-4381; API AllocationResult.nodeSelector"},
	PodOnNode: {"scheduler", "a pod runs on a node that the allocations of its claims are for",
		"KEP-4381; API AllocationResult.nodeSelector"},
	PodReserved: {"kubelet", "a pod runs only while its claims are reserved for it",
		"KEP-4381; API ResourceClaimStatus.reservedFor"},
	ReservedAllocated: {"API server", "a claim is reserved only while it is allocated",
		"KEP-4381; API ResourceClaimStatus.reservedFor"},
	ReservedLimit: {"API server", "a claim is reserved for at most 256 consumers, each of them once",
		"KEP-4381; API ResourceClaimStatus.reservedFor"},
	AllocationKept: {"control plane", "the allocation of a claim stays as it is while a pod on a node uses it",
		"KEP-4381; API ResourceClaimStatus.allocation, ResourceClaimStatus.reservedFor"},
	StatusOfAllocated: {"driver", "a claim has the status of devices that are allocated to it, and of no others",
		"KEP-4817; API ResourceClaimStatus.devices"},
	AffinityValuesMeet: {"scheduler", "all who hold a device that demands it state the same values",
		"KEP-5981, revision 44f990de4; annotation draconform.dev/sharing-affinity"},
}

// Alarm reports a broken rule.
type Alarm struct {
	Rule Rule
	// Text describes the observation with the names of all objects.
	Text string
}

// String returns a self-contained message: what was observed, which component
// promises what, and the source of the promise.
func (a Alarm) String() string {
	p := promises[a.Rule]
	return fmt.Sprintf("%s, though the %s promises that %s (%s; rule %s)", a.Text, p.By, p.Says, p.Source, a.Rule)
}

// Rules returns all rules sorted by name.
func Rules() []Rule { return slices.Sorted(maps.Keys(promises)) }

// Promise returns the promise of the rule.
func (r Rule) Promise() Promise { return promises[r] }
