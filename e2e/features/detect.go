// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features

import (
	"cmp"
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
)

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

// ofScheduler returns the presence of the features in ofSchedulers. The bundled
// scheduler is the only one that supports sharing affinity, and lacks the others.
func (k Known) ofScheduler() Set {
	others := Presence{Present: true, Source: "the pods' scheduler is not the bundled one"}
	if k.SharingAffinity.Present {
		others = Presence{Source: "the bundled scheduler does not support it"}
	}
	return Set{SharingAffinity: k.SharingAffinity, NodeAllocatableScheduling: others, WorkloadClaimScheduling: others}
}

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
		if missing != "" && !p.feature.OnlyLegacy() {
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
