// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package features detects which DRA features a cluster supports.
package features

import (
	"slices"

	"golang.org/x/mod/semver"
)

// Feature is a part of Dynamic Resource Allocation that a cluster may lack.
type Feature string

// The features that specs need.
const (
	// Core is the API group itself.
	Core Feature = "core"
	// Partitions are devices that consume shared counters (KEP-4815).
	Partitions Feature = "partitionable-devices"
	// SharedDevices are devices with allowMultipleAllocations (KEP-5075).
	SharedDevices Feature = "consumable-capacity"
	// FractionalRanges are ranges of capacity whose bounds and steps are no whole
	// numbers (KEP-5075).
	FractionalRanges Feature = "fractional-capacity-ranges"
	// PrioritizedList are requests with subrequests (KEP-4816).
	PrioritizedList Feature = "prioritized-list"
	// DeviceTaints are device taints and the tolerations of requests (KEP-5055).
	DeviceTaints Feature = "device-taints"
	// DeviceTaintRules are taints that administrators add to devices of any
	// driver (KEP-5055). Kubernetes 1.34 had them without a feature gate of
	// their own. It counts as a release without them.
	DeviceTaintRules Feature = "device-taint-rules"
	// AdminAccess are requests for access to devices that are in use (KEP-5018).
	AdminAccess Feature = "admin-access"
	// ExtendedResources are extended resources that the devices of a DeviceClass
	// provide (KEP-5004).
	ExtendedResources Feature = "extended-resources"
	// DeviceStatus is the status of devices that drivers report in the status
	// of claims (KEP-4817).
	DeviceStatus Feature = "device-status"
	// StatusAuthorization is the authorization of writes of the status of claims
	// by what they change: the allocation, or the devices of a driver (KEP-4817).
	StatusAuthorization Feature = "status-authorization"
	// BindingConditions are conditions of devices that pods wait for before they
	// are bound to a node (KEP-5007).
	BindingConditions Feature = "binding-conditions"
	// DeviceHealth is the health of devices that the kubelet reports in the
	// status of pods (KEP-4680).
	DeviceHealth Feature = "device-health"
	// DeviceHealthMessage are messages of drivers about the health of devices,
	// in addition to DeviceHealth (KEP-4680).
	DeviceHealthMessage Feature = "device-health-message"
	// ListAttributes are attributes of devices that have several values
	// (KEP-5491).
	ListAttributes Feature = "list-attributes"
	// DerivedAttributes are attributes that a request computes from those of a
	// device (KEP-6080).
	DerivedAttributes Feature = "derived-attributes"
	// CompatibilityGroups are groups of devices that may consume counters of the
	// same set (KEP-5963).
	CompatibilityGroups Feature = "compatibility-groups"
	// NodeAllocatable are devices that stand for resources of their node
	// (KEP-5517), in the form that they have since Kubernetes 1.37.
	NodeAllocatable Feature = "node-allocatable-resources"
	// NodeAllocatableScheduling is a scheduler that accounts for the resources of
	// NodeAllocatable. All schedulers count as such except for the bundled one.
	NodeAllocatableScheduling Feature = "node-allocatable-scheduling"
	// OptionalNodeOperations are devices for which kubelets skip calls of the driver
	// (KEP-5945).
	OptionalNodeOperations Feature = "optional-node-operations"
	// WorkloadClaims are claims of PodGroups (KEP-5729), in the version of the API that
	// PodGroups have since Kubernetes 1.37.
	WorkloadClaims Feature = "workload-claims"
	// WorkloadClaimScheduling is a scheduler that allocates the claims of
	// WorkloadClaims. All schedulers count as such except for the bundled one.
	WorkloadClaimScheduling Feature = "workload-claim-scheduling"
	// PoolStatus are reports about the devices of pools (KEP-5677).
	PoolStatus Feature = "pool-status"
	// PartitionTypes are the types of partitions that slices state, which reports
	// about pools count (KEP-5677).
	PartitionTypes Feature = "partition-types"
	// ControlPlaneController is the allocation of claims by control plane
	// controllers of drivers (KEP-3063), which Kubernetes 1.31 was the last release
	// to have. It does not need Core, which is the API of newer releases.
	ControlPlaneController Feature = "control-plane-controller"
	// ClassicAPI is the API of ControlPlaneController in Kubernetes 1.31, which is
	// served with and without its gate.
	ClassicAPI Feature = "classic-api"
	// ResourceClasses is the API of Kubernetes 1.30, in which classes name the drivers
	// that allocate claims, and claims can be allocated without a pod (KEP-3063).
	ResourceClasses Feature = "resource-classes"
	// V1beta1 and V1beta2 are earlier versions of the API that are served in
	// addition to v1.
	V1beta1 Feature = "api-v1beta1"
	V1beta2 Feature = "api-v1beta2"
	// SharingAffinity requires that claims which share a device state the same
	// affinity values (KEP-5981). No release supports it. Only a scheduler that
	// reads the declaration from an annotation does, which the API does not
	// show.
	SharingAffinity Feature = "sharing-affinity"
)

// All returns the features sorted by name.
func All() []Feature {
	all := append([]Feature{Core}, ofSchedulers...)
	for _, p := range probes {
		all = append(all, p.feature)
	}
	slices.Sort(all)
	return all
}

// Gate returns the feature gate that the feature depends on. It is empty if
// there is none.
func (f Feature) Gate() string {
	if slices.Contains(ofSchedulers, f) {
		return ""
	}
	for _, p := range probes {
		if p.feature == f {
			return p.gate
		}
	}
	return coreGate
}

// In reports whether a minor release of Kubernetes, such as 1.37, has the feature if
// its gate is enabled.
func (f Feature) In(minor string) bool {
	if only := onlyIn[f]; only != "" {
		return minor == only
	}
	return f != Core || semver.Compare("v"+minor, "v"+firstRelease) >= 0
}

// ofSchedulers are the features that only the pods' scheduler needs to have.
var ofSchedulers = []Feature{SharingAffinity, NodeAllocatableScheduling, WorkloadClaimScheduling}

// onlyIn has the features that only one release has.
var onlyIn = map[Feature]string{ClassicAPI: "1.31", ResourceClasses: "1.30"}

// firstRelease is the first release with [Core].
const firstRelease = "1.34"

// OnlyLegacy reports whether only legacy releases, which do not have [Core], have the feature.
func (f Feature) OnlyLegacy() bool { return f == ControlPlaneController || onlyIn[f] != "" }

// coreGate is the gate that all of DRA depends on. Kubernetes 1.34 is the last
// release in which it can be disabled. The API is served even then.
const coreGate = "DynamicResourceAllocation"
