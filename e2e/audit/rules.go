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
	ResultsCopied       Rule = "results-copied"
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
	// DeallocationOfUnused is a rule of classic DRA.
	DeallocationOfUnused Rule = "deallocation-of-unused"
)

// Promise describes a rule: the component that keeps it, the description, and
// its sources, which are KEPs and API fields.
type Promise struct{ By, Says, Source string }

var promises = map[Rule]Promise{
	DeviceOnce: {"scheduler", "a device is allocated only once, unless each of its allocations has its own share ID",
		"KEP-4381; KEP-5075; API DeviceRequestAllocationResult.shareID"},
	DeviceOffered: {"scheduler", "allocated devices are in a slice of the newest generation of their pool",
		"KEP-4381; API ResourcePool.generation"},
	PoolComplete: {"scheduler", "since Kubernetes 1.35, devices of a pool with missing slices are not allocated",
		"KEP-4815; API ResourcePool.resourceSliceCount"},
	PoolValid: {"scheduler", "devices of an invalid pool are not allocated",
		"KEP-4381; KEP-4815, validation of pools"},
	CountersSuffice: {"scheduler", "allocated devices do not consume more of a counter than its value",
		"KEP-4815; API CounterSet.counters, Device.consumesCounters"},
	GroupsCompatible: {"scheduler", "the allocated devices that consume from a counter set have a compatibility group in common, or none of them has a group",
		"KEP-5963; API DeviceCounterConsumption.compatibilityGroups"},
	CapacitySuffices: {"scheduler", "the shares of a device do not consume more of a capacity than the device has",
		"KEP-5075; API DeviceRequestAllocationResult.consumedCapacity"},
	CapacityConsumed: {"scheduler", "a share consumes the requested amount of each capacity, rounded up by the device's request policy, or the policy's default if no amount is requested",
		"KEP-5075; API CapacityRequirements.requests, CapacityRequestPolicy"},
	RequestSatisfied: {"scheduler", "a claim is allocated the devices of all its requests, of one subrequest each, and no others",
		"KEP-4381; KEP-4816; API ExactDeviceRequest.count, DeviceRequest.firstAvailable"},
	RequestAll: {"scheduler", "a request with allocationMode All is allocated all devices of the node that match it",
		"KEP-4381; API ExactDeviceRequest.allocationMode"},
	SelectorAccepts: {"scheduler", "the devices of a request match all its selectors",
		"KEP-4381; API ExactDeviceRequest.selectors"},
	ClassAccepts: {"scheduler", "the devices of a request match all selectors of its DeviceClass",
		"KEP-4381; API DeviceClassSpec.selectors"},
	AttributesMatch: {"scheduler", "the devices under a matchAttribute constraint have the attribute, and the same value of it",
		"KEP-4381; API DeviceConstraint.matchAttribute"},
	AttributesDiffer: {"scheduler", "the devices under a distinctAttribute constraint have the attribute, and different values of it",
		"KEP-5075; API DeviceConstraint.distinctAttribute"},
	ConfigurationCopied: {"scheduler", "the configuration of devices is that of the request's DeviceClass, followed by that of the claim for the request or the allocated subrequest, and nothing else",
		"KEP-4381; KEP-4816; API DeviceAllocationResult.config"},
	ResultsCopied: {"scheduler", "the result for a device has the tolerations of its request, the binding conditions and binding failure conditions of the device, and the operations that kubelets skip for devices of its slice, unless the feature is disabled",
		"KEP-5055; KEP-5007; KEP-5945; API DeviceRequestAllocationResult.tolerations, bindingConditions, bindingFailureConditions, skipNodeOperations"},
	TaintTolerated: {"scheduler", "a device with a taint of the effect NoSchedule or NoExecute is allocated only to requests that tolerate the taint",
		"KEP-5055; API DeviceTaint.effect, ExactDeviceRequest.tolerations, DeviceTaintRule"},
	AdminNamespace: {"API server", "claims request admin access only in namespaces with the label resource.kubernetes.io/admin-access: \"true\"",
		"KEP-5018; API ExactDeviceRequest.adminAccess"},
	AdminAsRequested: {"scheduler", "a device is allocated for admin access if its request has adminAccess, and not otherwise",
		"KEP-5018; API DeviceRequestAllocationResult.adminAccess"},
	NodesReachDevices: {"scheduler", "all devices of an allocation are available on all nodes that its node selector matches",
		"KEP-4381; API AllocationResult.nodeSelector"},
	PodOnNode: {"scheduler", "a pod runs on a node that the node selectors of its claims' allocations match",
		"KEP-4381; API AllocationResult.nodeSelector"},
	PodReserved: {"kubelet", "a pod runs only while its claims are reserved for it",
		"KEP-4381; API ResourceClaimStatus.reservedFor"},
	ReservedAllocated: {"API server", "a claim is reserved only while it is allocated",
		"KEP-4381; API ResourceClaimStatus.reservedFor"},
	ReservedLimit: {"API server", "a claim is reserved for at most 256 consumers, in Kubernetes 1.30 and 1.31 for 32, and only once for each",
		"KEP-4381; API ResourceClaimStatus.reservedFor"},
	AllocationKept: {"control plane", "the allocation of a claim does not change while a pod on a node uses the claim",
		"KEP-4381; API ResourceClaimStatus.allocation, ResourceClaimStatus.reservedFor"},
	StatusOfAllocated: {"driver", "a claim has the status of devices that are allocated to it, and of no others",
		"KEP-4817; API ResourceClaimStatus.devices"},
	DeallocationOfUnused: {"API server", "the deallocation of a claim is requested only while it is allocated and not reserved",
		"KEP-3063; API ResourceClaimStatus.deallocationRequested of resource.k8s.io/v1alpha3"},
	AffinityValuesMeet: {"scheduler", "all claims on a device with sharing affinity state the same values for its keys",
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
