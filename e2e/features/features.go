// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package features detects which DRA features a cluster supports.
package features

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
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
	all := []Feature{Core, SharingAffinity, NodeAllocatableScheduling, WorkloadClaimScheduling}
	for _, p := range probes {
		all = append(all, p.feature)
	}
	slices.Sort(all)
	return all
}

// Gate returns the feature gate that the feature depends on. It is empty if
// there is none.
func (f Feature) Gate() string {
	if f == SharingAffinity || f == NodeAllocatableScheduling || f == WorkloadClaimScheduling {
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

// onlyIn has the features that only one release has.
var onlyIn = map[Feature]string{ClassicAPI: "1.31", ResourceClasses: "1.30"}

// firstRelease is the first release with [Core].
const firstRelease = "1.34"

// ofClassic reports whether a feature does not need Core.
func (f Feature) ofClassic() bool { return f == ControlPlaneController || onlyIn[f] != "" }

// Known contains the properties of a cluster that are known without detecting
// features.
type Known struct {
	// Gates are the states of feature gates.
	Gates map[string]bool
	// SharingAffinity states whether the pods' scheduler supports it.
	SharingAffinity Presence
	// Server and Scheduler are the releases of the API server and of the pods'
	// scheduler, such as "v1.37.1". They are empty if unknown.
	Server, Scheduler string
	// Namespace is the namespace of dry runs. Empty means default.
	Namespace string
	// Served are the API versions, such as "resource.k8s.io/v1beta2", that the
	// API server is configured to serve. Only Expected uses it. Detect queries
	// the cluster instead.
	Served []string
}

// Expected returns the features that a cluster with fully known properties will
// have.
func Expected(known Known, overrides Overrides) Set {
	found := known.ofScheduler()
	for f, v := range versions {
		found[f] = v.found(slices.Contains(known.Served, v.String()))
	}
	for _, f := range All() {
		if f.Gate() != "" {
			found[f] = expectedByGate(f.Gate(), known.Gates)
		}
		if why := known.lacks(f); why != "" {
			found[f] = Presence{Source: why}
		}
	}
	return overrides.apply(found)
}

// lacks states that the release does not have the API of a feature. It returns an empty
// string if it has, or if the release is not known.
func (k Known) lacks(f Feature) string {
	minor := strings.TrimPrefix(semver.MajorMinor(k.Server), "v")
	switch {
	case minor != "" && !f.ofClassic() && f.Gate() != "" && !Core.In(minor):
		return fmt.Sprintf("Kubernetes %s does not serve %s", minor, resourceapi.SchemeGroupVersion)
	case onlyIn[f] != "" && !f.In(minor):
		return "only Kubernetes " + onlyIn[f] + " has it"
	}
	return ""
}

func expectedByGate(gate string, gates map[string]bool) Presence {
	on, known := gates[gate]
	switch {
	case !known:
		return Presence{Source: fmt.Sprintf("the release has no feature gate %s", gate)}
	case on:
		return Presence{Present: true, Source: fmt.Sprintf("the feature gate %s will be enabled", gate)}
	}
	return Presence{Source: fmt.Sprintf("the feature gate %s will be disabled", gate)}
}

// Presence states whether a cluster has a feature and how that was determined.
type Presence struct {
	Present bool   `json:"present"`
	Source  string `json:"source"`
	// Overridden states that the caller declared the presence. Source includes
	// what the cluster showed.
	Overridden bool `json:"overridden,omitempty"`
}

// Set maps features to their presence in a cluster.
type Set map[Feature]Presence

// coreGate is the gate that all of DRA depends on. Kubernetes 1.34 is the last
// release in which it can be disabled. The API is served even then.
const coreGate = "DynamicResourceAllocation"

// Detect determines the features of a cluster. It uses dry runs, so that
// nothing is stored in the cluster. Only the gates of the API server count, for
// the API itself and for features that a dry run does not show. Overrides take
// precedence, even if detection fails.
func Detect(ctx context.Context, client kubernetes.Interface, known Known, overrides Overrides) (Set, error) {
	missing, err := missingAPI(client.Discovery(), known.Gates)
	if err != nil {
		return nil, err
	}
	found := known.ofScheduler()
	found[Core] = Presence{Present: missing == "", Source: cmp.Or(missing, fmt.Sprintf("the API server serves %s", resourceapi.SchemeGroupVersion))}
	for _, p := range probes {
		if missing != "" && !p.feature.ofClassic() {
			found[p.feature] = Presence{Source: missing}
			continue
		}
		presence, err := p.detect(ctx, client, known)
		if _, overridden := overrides[p.feature]; err != nil && (!overridden || ctx.Err() != nil) {
			return found, err
		}
		if err != nil {
			presence.Source = fmt.Sprintf("detection failed: %v", err)
		}
		found[p.feature] = presence
	}
	if why := countersIgnored(known.Server, known.Scheduler); why != "" && found[Partitions].Present {
		found[Partitions] = Presence{Source: why}
	}
	return overrides.apply(found), nil
}

// ofScheduler returns the features that only the pods' scheduler needs to have. The
// bundled one is the only one that supports sharing affinity, and lacks others.
func (k Known) ofScheduler() Set {
	others := Presence{Present: true, Source: "the pods' scheduler is not the bundled one"}
	if k.SharingAffinity.Present {
		others = Presence{Source: "the bundled scheduler does not support it"}
	}
	return Set{SharingAffinity: k.SharingAffinity, NodeAllocatableScheduling: others, WorkloadClaimScheduling: others}
}

// missingAPI states why the cluster lacks the API. It returns an empty string
// if it does not.
func missingAPI(client discovery.DiscoveryInterface, gates map[string]bool) (string, error) {
	served, err := isServed(client, resourceapi.SchemeGroupVersion)
	if err != nil {
		return "", err
	}
	if !served {
		return fmt.Sprintf("the API server does not serve %s", resourceapi.SchemeGroupVersion), nil
	}
	if on, known := gates[coreGate]; known && !on {
		return fmt.Sprintf("the API server reports the feature gate %s as disabled", coreGate), nil
	}
	return "", nil
}

// Missing states which of the needed features a cluster lacks and why. It
// returns an empty string if it lacks none.
func (s Set) Missing(needed []Feature) string {
	var reasons []string
	for _, f := range needed {
		if p := s[f]; !p.Present {
			reasons = append(reasons, fmt.Sprintf("feature %s is absent: %s", f, p.Source))
		}
	}
	return strings.Join(reasons, "; ")
}

// Names returns the present features of the set, sorted.
func (s Set) Names() []Feature {
	names := slices.Sorted(maps.Keys(s))
	return slices.DeleteFunc(names, func(f Feature) bool { return !s[f].Present })
}
