package features

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
)

// probe finds out from the API server whether it has a feature.
type probe struct {
	feature Feature
	// gate is empty for what no feature gate decides.
	gate string
	try  func(ctx context.Context, client kubernetes.Interface) (Presence, error)
}

// probes are those of all features but Core.
var probes = []probe{
	{Partitions, "DRAPartitionableDevices", sharedCounters.try},
	{SharedDevices, "DRAConsumableCapacity", multipleAllocations.try},
	{DeviceTaints, "DRADeviceTaints", taints.try},
	{PrioritizedList, "DRAPrioritizedList", tryAlternatives},
	{V1beta1, "", versions[V1beta1].try},
	{V1beta2, "", versions[V1beta2].try},
}

// seen is what a dry run showed of a field of a kind of objects.
func seen(kept bool, field, kind string) Presence {
	verb := "drops"
	if kept {
		verb = "keeps"
	}
	return Presence{Present: kept, Source: fmt.Sprintf("the API server %s %s of a %s (dry run)", verb, field, kind)}
}
