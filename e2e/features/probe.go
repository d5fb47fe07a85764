// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features

import (
	"cmp"
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// probe determines whether an API server supports a feature.
type probe struct {
	feature Feature
	// gate is empty if no feature gate controls the feature.
	gate string
	// try is nil for features that cannot be tried without storing something.
	// The gate decides in that case. A cluster that does not report the gate
	// counts as one without the feature.
	try func(ctx context.Context, client kubernetes.Interface, namespace string) (Presence, error)
}

func (p probe) detect(ctx context.Context, client kubernetes.Interface, known Known) (Presence, error) {
	if p.try != nil {
		return p.try(ctx, client, cmp.Or(known.Namespace, metav1.NamespaceDefault))
	}
	on, reported := known.Gates[p.gate]
	switch {
	case !reported:
		return Presence{Source: fmt.Sprintf("the API server does not report the feature gate %s", p.gate)}, nil
	case on:
		return Presence{Present: true, Source: fmt.Sprintf("the API server reports the feature gate %s as enabled", p.gate)}, nil
	}
	return Presence{Source: fmt.Sprintf("the API server reports the feature gate %s as disabled", p.gate)}, nil
}

// probes are the probes of all features except Core and SharingAffinity.
var probes = []probe{
	{Partitions, "DRAPartitionableDevices", sharedCounters.try},
	{SharedDevices, "DRAConsumableCapacity", multipleAllocations.try},
	{DeviceTaints, "DRADeviceTaints", taints.try},
	{PrioritizedList, "DRAPrioritizedList", tryAlternatives},
	{DeviceStatus, "DRAResourceClaimDeviceStatus", nil},
	{DeviceHealth, "ResourceHealthStatus", nil},
	{V1beta1, "", versions[V1beta1].try},
	{V1beta2, "", versions[V1beta2].try},
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
