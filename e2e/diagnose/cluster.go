// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/explain"
	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/fakedriver/publish"
)

// ErrGates is the error of Read if the given gates are invalid.
var ErrGates = errors.New("invalid feature gates")

// Cluster is what the allocation of devices in a cluster depends on.
type Cluster struct {
	Objects *state.Objects
	// Notes state what is not known or assumed.
	Notes []string

	client kubernetes.Interface
	// release is that of the API server, such as 1.37.
	release string
	// extended states that DeviceClasses provide extended resources.
	extended bool
	// apart states that devices in the same slice as counters are not allocated: since Kubernetes 1.35, each have slices
	// of their own.
	apart     bool
	allocator *allocator.Allocator
	holders   explain.Holders
}

// Read reads a cluster. gateList are the cluster's DRA feature gates, as in the command line; if it is empty, they are those
// that the API server reports, or else the defaults of its release.
func Read(ctx context.Context, client kubernetes.Interface, gateList string) (*Cluster, error) {
	c := &Cluster{client: client, Objects: &state.Objects{}}
	set, err := c.gates(ctx, gateList)
	if err != nil {
		return nil, err
	}
	features := Features(set)
	c.extended, _ = set.Enabled("DRAExtendedResource")
	notes, err := List(ctx, client, c.Objects)
	if err != nil {
		return nil, err
	}
	c.Notes = append(c.Notes, notes...)
	form, err := publish.FormOf(c.release)
	if err != nil {
		return nil, err
	}
	together := form == publish.CountersWithDevices
	c.apart = features.PartitionableDevices && !together
	index := allocator.NewIndex(allocator.Config{Features: features, SharingAffinity: true, Fixes: allocator.Fixes{SameSliceCounters: together}})
	index.Update(c.Objects.Slices)
	c.allocator = index.AllocatorWithAffinity(c.Objects.AllocatedState(features), allocator.NewAffinityState(c.Objects.Claims), c.Objects.ClassLister())
	c.holders = explain.HoldersOf(c.Objects.Claims)
	return c, nil
}

var minorRelease = regexp.MustCompile(`^v?(\d+\.\d+)`)

func (c *Cluster) gates(ctx context.Context, gateList string) (gates.Set, error) {
	release := clusters.Newest()
	server, err := c.client.Discovery().ServerVersion()
	if err != nil {
		return gates.Set{}, fmt.Errorf("get the version of the API server: %w", err)
	}
	if minor := minorRelease.FindStringSubmatch(server.GitVersion); minor != nil {
		if found, err := clusters.FindRelease(minor[1]); err == nil {
			release = found
		} else {
			c.Notes = append(c.Notes, fmt.Sprintf("Kubernetes %s is not a release that draconform knows: it is regarded as %s", server.GitVersion, release.Minor))
		}
	}
	c.release = release.Minor
	if gateList != "" {
		set, err := gates.Parse(gateList, release)
		if err != nil {
			return set, fmt.Errorf("%w: %w", ErrGates, err)
		}
		return set, nil
	}
	reported := report.Gates(ctx, c.client)
	if len(reported) == 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("the API server's metrics may not be read: feature gates are regarded as the defaults of Kubernetes %s", release.Minor))
		return gates.Parse("default", release)
	}
	set, _ := gates.Of(reported, release)
	return set, nil
}

// Features returns the features of the allocator that gates enable. A gate that the release does not have is disabled.
func Features(set gates.Set) structured.Features {
	on := func(gate string) bool { enabled, _ := set.Enabled(gate); return enabled }
	return structured.Features{
		AdminAccess:             on("DRAAdminAccess"),
		CompatibilityGroups:     on("DRADeviceCompatibilityGroups"),
		ConsumableCapacity:      on("DRAConsumableCapacity"),
		DerivedAttributes:       on("DRADerivedAttributes"),
		DeviceBindingAndStatus:  on("DRADeviceBindingConditions") && on("DRAResourceClaimDeviceStatus"),
		DeviceTaints:            on("DRADeviceTaints"),
		FractionalCapacityRange: on("DRAFractionalCapacityRange"),
		ListTypeAttributes:      on("DRAListTypeAttributes"),
		OptionalNodeOperations:  on("DRAOptionalNodeOperations"),
		PartitionableDevices:    on("DRAPartitionableDevices"),
		PrioritizedList:         on("DRAPrioritizedList"),
	}
}
