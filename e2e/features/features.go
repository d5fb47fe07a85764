// Package features finds out which DRA features a cluster has.
package features

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// Feature is a part of Dynamic Resource Allocation that a cluster may lack.
type Feature string

// The features that specs need.
const (
	// Core is the API group itself.
	Core Feature = "core"
	// Partitions are devices that consume shared counters (KEP-4815).
	Partitions Feature = "partitionable-devices"
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
	served, err := isServed(client.Discovery())
	if err != nil {
		return nil, err
	}
	if !served {
		absent := Presence{Source: fmt.Sprintf("the API server does not serve %s", resourceapi.SchemeGroupVersion)}
		return Set{Core: absent, Partitions: absent}, nil
	}
	if on, known := gates[coreGate]; known && !on {
		absent := Presence{Source: fmt.Sprintf("the API server reports the feature gate %s as off", coreGate)}
		return Set{Core: absent, Partitions: absent}, nil
	}
	found := Set{Core: {Present: true, Source: fmt.Sprintf("the API server serves %s", resourceapi.SchemeGroupVersion)}}
	found[Partitions], err = detectPartitions(ctx, client)
	return found, err
}

func isServed(client discovery.DiscoveryInterface) (bool, error) {
	groups, err := client.ServerGroups()
	if err != nil {
		return false, fmt.Errorf("ask the cluster for its API groups: %w", err)
	}
	for _, g := range groups.Groups {
		for _, v := range g.Versions {
			if v.GroupVersion == resourceapi.SchemeGroupVersion.String() {
				return true, nil
			}
		}
	}
	return false, nil
}

// detectPartitions writes a slice with a counter set, whose field an API server
// without the feature drops.
func detectPartitions(ctx context.Context, client kubernetes.Interface) (Presence, error) {
	slice := &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "draconform-probe-"},
		Spec: resourceapi.ResourceSliceSpec{
			Driver:   "probe.draconform.dev",
			Pool:     resourceapi.ResourcePool{Name: "probe", Generation: 1, ResourceSliceCount: 1},
			AllNodes: ptr.To(true),
			SharedCounters: []resourceapi.CounterSet{{
				Name:     "probe",
				Counters: map[string]resourceapi.Counter{"probe": {Value: resource.MustParse("1")}},
			}},
		},
	}
	stored, err := client.ResourceV1().ResourceSlices().Create(ctx, slice, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return Presence{}, fmt.Errorf("try whether a ResourceSlice keeps its counter sets: %w", err)
	}
	if len(stored.Spec.SharedCounters) == 0 {
		return Presence{Source: "the API server drops spec.sharedCounters of a ResourceSlice (dry run)"}, nil
	}
	return Presence{Present: true, Source: "the API server keeps spec.sharedCounters of a ResourceSlice (dry run)"}, nil
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
