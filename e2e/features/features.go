// Package features finds out which DRA features a cluster has.
package features

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	// V1beta1 and V1beta2 are earlier versions of the API beside v1.
	V1beta1 Feature = "api-v1beta1"
	V1beta2 Feature = "api-v1beta2"
	// SharingAffinity is that claims which share a device must agree on values
	// (KEP-5981). No release has it: only a scheduler that reads the
	// declaration from an annotation does, which no API shows.
	SharingAffinity Feature = "sharing-affinity"
)

// Presence says whether a cluster has a feature, and how that was found out.
type Presence struct {
	Present bool   `json:"present"`
	Source  string `json:"source"`
}

// Set is what is known of a cluster's features.
type Set map[Feature]Presence

// coreGate is what all of DRA depends on. Kubernetes 1.34 is the last release
// in which it can be off; its API is served even then.
const coreGate = "DynamicResourceAllocation"

// Detect asks the cluster. Nothing is stored in it: what it would store is seen
// from a write that is a dry run. gates are the API server's feature gates as
// far as they are known.
func Detect(ctx context.Context, client kubernetes.Interface, gates map[string]bool) (Set, error) {
	versions, err := served(client.Discovery())
	if err != nil {
		return nil, err
	}
	if !slices.Contains(versions, resourceapi.SchemeGroupVersion.String()) {
		return none(fmt.Sprintf("the API server does not serve %s", resourceapi.SchemeGroupVersion)), nil
	}
	if on, known := gates[coreGate]; known && !on {
		return none(fmt.Sprintf("the API server reports the feature gate %s as off", coreGate)), nil
	}
	found := Set{Core: {Present: true, Source: fmt.Sprintf("the API server serves %s", resourceapi.SchemeGroupVersion)}}
	for feature, version := range earlier {
		found[feature] = Presence{Source: fmt.Sprintf("the API server does not serve %s", version)}
		if slices.Contains(versions, version.String()) {
			found[feature] = Presence{Present: true, Source: fmt.Sprintf("the API server serves %s", version)}
		}
	}
	for _, p := range probes {
		if found[p.feature], err = p.try(ctx, client); err != nil {
			return found, err
		}
	}
	found[PrioritizedList], err = tryAlternatives(ctx, client)
	return found, err
}

// none is what a cluster has without the API.
func none(source string) Set {
	found := Set{Core: {Source: source}, PrioritizedList: {Source: source}}
	for feature := range earlier {
		found[feature] = Presence{Source: source}
	}
	for _, p := range probes {
		found[p.feature] = Presence{Source: source}
	}
	return found
}

// earlier are the versions of the API that specs use beside v1.
var earlier = map[Feature]schema.GroupVersion{V1beta1: resourcev1beta1.SchemeGroupVersion, V1beta2: resourcev1beta2.SchemeGroupVersion}

// served are the versions of all API groups.
func served(client discovery.DiscoveryInterface) ([]string, error) {
	groups, err := client.ServerGroups()
	if err != nil {
		return nil, fmt.Errorf("ask the cluster for its API groups: %w", err)
	}
	var versions []string
	for _, g := range groups.Groups {
		for _, v := range g.Versions {
			versions = append(versions, v.GroupVersion)
		}
	}
	return versions, nil
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
