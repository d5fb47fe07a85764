// Package features finds out which DRA features a cluster has.
package features

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	// SharedDevices are devices of which several claims get a share (KEP-5075).
	SharedDevices Feature = "consumable-capacity"
	// PrioritizedList are requests with alternatives (KEP-4816).
	PrioritizedList Feature = "prioritized-list"
	// DeviceTaints are devices that only requests which tolerate it get.
	DeviceTaints Feature = "device-taints"
	// DeviceStatus is what drivers report of devices in the status of claims
	// (KEP-4817).
	DeviceStatus Feature = "device-status"
	// V1beta1 and V1beta2 are earlier versions of the API beside v1.
	V1beta1 Feature = "api-v1beta1"
	V1beta2 Feature = "api-v1beta2"
	// SharingAffinity is that claims which share a device must agree on values
	// (KEP-5981). No release has it: only a scheduler that reads the
	// declaration from an annotation does, which no API shows.
	SharingAffinity Feature = "sharing-affinity"
)

// All are the features, in the order of their names.
func All() []Feature {
	all := []Feature{Core, SharingAffinity}
	for _, p := range probes {
		all = append(all, p.feature)
	}
	slices.Sort(all)
	return all
}

// Gate is the feature gate that the feature depends on; empty if there is none.
func (f Feature) Gate() string {
	if f == SharingAffinity {
		return ""
	}
	for _, p := range probes {
		if p.feature == f {
			return p.gate
		}
	}
	return coreGate
}

// Known is what is known of a cluster without asking it for features.
type Known struct {
	// Gates are feature gates that are on or off.
	Gates map[string]bool
	// SharingAffinity says whether the pods' scheduler has it.
	SharingAffinity Presence
	// Server and Scheduler are the releases of the API server and of the pods'
	// scheduler, such as "v1.37.1"; empty if not known.
	Server, Scheduler string
	// Served are the versions of the API, such as "resource.k8s.io/v1beta2",
	// that the API server was told to serve. Detect asks for them.
	Served []string
}

// Foresee is what a cluster will have, of which all is known.
func Foresee(known Known, overrides Overrides) Set {
	found := Set{SharingAffinity: known.SharingAffinity}
	for f, v := range versions {
		found[f] = v.found(slices.Contains(known.Served, v.String()))
	}
	for _, f := range All() {
		if f.Gate() != "" {
			found[f] = foresee(f.Gate(), known.Gates)
		}
	}
	return overrides.apply(found)
}

func foresee(gate string, gates map[string]bool) Presence {
	on, known := gates[gate]
	switch {
	case !known:
		return Presence{Source: fmt.Sprintf("the release has no feature gate %s", gate)}
	case on:
		return Presence{Present: true, Source: fmt.Sprintf("the feature gate %s will be on", gate)}
	}
	return Presence{Source: fmt.Sprintf("the feature gate %s will be off", gate)}
}

// Presence says whether a cluster has a feature, and how that was found out.
type Presence struct {
	Present bool   `json:"present"`
	Source  string `json:"source"`
	// Overridden says that the caller decided it. The source tells what the
	// cluster showed.
	Overridden bool `json:"overridden,omitempty"`
}

// Set is what is known of a cluster's features.
type Set map[Feature]Presence

// coreGate is what all of DRA depends on. Kubernetes 1.34 is the last release
// in which it can be off; its API is served even then.
const coreGate = "DynamicResourceAllocation"

// Detect asks the cluster. Nothing is stored in it: what it would store is seen
// from a write that is a dry run. Of the gates only those of the API server
// count, for the API itself and for what a dry run does not show. What the caller
// overrides is as the caller says, even if the cluster cannot tell.
func Detect(ctx context.Context, client kubernetes.Interface, known Known, overrides Overrides) (Set, error) {
	missing, err := missingAPI(client.Discovery(), known.Gates)
	if err != nil {
		return nil, err
	}
	found := Set{
		Core:            {Present: missing == "", Source: cmp.Or(missing, fmt.Sprintf("the API server serves %s", resourceapi.SchemeGroupVersion))},
		SharingAffinity: known.SharingAffinity,
	}
	for _, p := range probes {
		if missing != "" {
			found[p.feature] = Presence{Source: missing}
			continue
		}
		presence, err := p.ask(ctx, client, known.Gates)
		if _, overridden := overrides[p.feature]; err != nil && (!overridden || ctx.Err() != nil) {
			return found, err
		}
		if err != nil {
			presence.Source = fmt.Sprintf("the cluster could not tell: %v", err)
		}
		found[p.feature] = presence
	}
	if why := countersUnread(known.Server, known.Scheduler); why != "" && found[Partitions].Present {
		found[Partitions] = Presence{Source: why}
	}
	return overrides.apply(found), nil
}

// missingAPI says why the cluster lacks the API, or nothing.
func missingAPI(client discovery.DiscoveryInterface, gates map[string]bool) (string, error) {
	served, err := isServed(client, resourceapi.SchemeGroupVersion)
	if err != nil {
		return "", err
	}
	if !served {
		return fmt.Sprintf("the API server does not serve %s", resourceapi.SchemeGroupVersion), nil
	}
	if on, known := gates[coreGate]; known && !on {
		return fmt.Sprintf("the API server reports the feature gate %s as off", coreGate), nil
	}
	return "", nil
}

// Missing returns why a cluster lacks one of the needed features, or nothing.
func (s Set) Missing(needed []Feature) string {
	var reasons []string
	for _, f := range needed {
		if p := s[f]; !p.Present {
			reasons = append(reasons, fmt.Sprintf("feature %s is absent: %s", f, p.Source))
		}
	}
	return strings.Join(reasons, "; ")
}

// Names are the features of the set that are present, sorted.
func (s Set) Names() []Feature {
	names := slices.Sorted(maps.Keys(s))
	return slices.DeleteFunc(names, func(f Feature) bool { return !s[f].Present })
}
