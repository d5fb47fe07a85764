// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features

import (
	"cmp"
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
)

// probe determines whether an API server supports a feature.
type probe struct {
	feature Feature
	// gate is empty if no feature gate controls the feature.
	gate string
	// try is nil for features that cannot be tried without storing something, or
	// not with the rights of all runs: only some may create DeviceClasses. The
	// gate decides in that case. A cluster that does not report the gate counts
	// as one without the feature.
	try func(ctx context.Context, client kubernetes.Interface, namespace string) (Presence, error)
	// missing, if set, states what a cluster in which the gate is enabled lacks
	// for the feature. It returns an empty string if it lacks nothing.
	missing func(client discovery.DiscoveryInterface) (string, error)
}

func (p probe) detect(ctx context.Context, client kubernetes.Interface, known Known) (Presence, error) {
	if p.try != nil {
		return p.try(ctx, client, cmp.Or(known.Namespace, metav1.NamespaceDefault))
	}
	on, reported := known.Gates[p.gate]
	switch {
	case !reported:
		return Presence{Source: fmt.Sprintf("the API server does not report the feature gate %s", p.gate)}, nil
	case !on:
		return Presence{Source: fmt.Sprintf("the API server reports the feature gate %s as disabled", p.gate)}, nil
	}
	if p.missing != nil {
		if why, err := p.missing(client.Discovery()); err != nil || why != "" {
			return Presence{Source: why}, err
		}
	}
	return Presence{Present: true, Source: fmt.Sprintf("the API server reports the feature gate %s as enabled", p.gate)}, nil
}

// probes are the probes of all features except Core and those in ofSchedulers.
var probes = []probe{
	{feature: Partitions, gate: "DRAPartitionableDevices", try: sharedCounters.try},
	{feature: SharedDevices, gate: "DRAConsumableCapacity", try: multipleAllocations.try},
	{feature: FractionalRanges, gate: "DRAFractionalCapacityRange", try: fractionalRange.try},
	{feature: DeviceTaints, gate: "DRADeviceTaints", try: taints.try},
	{feature: DeviceTaintRules, gate: "DRADeviceTaintRules", missing: missingTaintRules},
	{feature: PrioritizedList, gate: "DRAPrioritizedList", try: tryAlternatives},
	{feature: AdminAccess, gate: "DRAAdminAccess", try: tryAdminAccess},
	{feature: ExtendedResources, gate: "DRAExtendedResource"},
	{feature: DeviceStatus, gate: "DRAResourceClaimDeviceStatus"},
	{feature: StatusAuthorization, gate: "DRAResourceClaimGranularStatusAuthorization"},
	{feature: BindingConditions, gate: "DRADeviceBindingConditions", try: bindingConditions.try},
	{feature: DeviceHealth, gate: "ResourceHealthStatus"},
	{feature: DeviceHealthMessage, gate: "ResourceHealthStatusMessage"},
	{feature: ListAttributes, gate: "DRAListTypeAttributes", try: listAttributes.try},
	{feature: DerivedAttributes, gate: "DRADerivedAttributes", try: tryDerivedAttributes},
	{feature: CompatibilityGroups, gate: "DRADeviceCompatibilityGroups", try: compatibilityGroups.try},
	{feature: NodeAllocatable, gate: "DRANodeAllocatableResources", try: nodeAllocatable.try},
	{feature: OptionalNodeOperations, gate: "DRAOptionalNodeOperations", try: skipNodeOperations.try},
	{feature: WorkloadClaims, gate: "DRAWorkloadResourceClaims", missing: notServed("PodGroups", "scheduling.k8s.io/v1beta1")},
	{feature: PoolStatus, gate: "DRAResourcePoolStatus", missing: notServed("ResourcePoolStatusRequests", "resource.k8s.io/v1alpha3")},
	{feature: PartitionTypes, gate: "DRAPartitionableDevicesType", try: partitionTypes.try},
	{feature: ControlPlaneController, gate: "DRAControlPlaneController", missing: notServed("PodSchedulingContexts", "resource.k8s.io/v1alpha3")},
	{feature: ClassicAPI, gate: coreGate, missing: notServed("PodSchedulingContexts", "resource.k8s.io/v1alpha3")},
	{feature: ResourceClasses, gate: coreGate, missing: notServed("ResourceClasses", "resource.k8s.io/v1alpha2")},
	{feature: V1beta1, try: versions[V1beta1].try},
	{feature: V1beta2, try: versions[V1beta2].try},
}

// fieldPresence returns the result of a dry run with a field of a kind of
// objects.
func fieldPresence(kept bool, field, kind string) Presence {
	verb := "drops"
	if kept {
		verb = "keeps"
	}
	return Presence{Present: kept, Source: fmt.Sprintf("the API server %s %s of a %s (dry run)", verb, field, kind)}
}
