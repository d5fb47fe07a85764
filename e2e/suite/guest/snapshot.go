// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
)

// snapshot is what is needed to find out what fits on a node.
type snapshot struct {
	objects state.Objects // Without claims.
	// claims are the allocated claims of all namespaces.
	claims []*resourceapi.ResourceClaim
	index  *allocator.Index
}

// features are the features of an allocator. Objects only use those that the
// cluster has.
var features = structured.Features{
	AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true,
	DeviceBindingAndStatus: true, ConsumableCapacity: true, ListTypeAttributes: true,
}

// takeSnapshot reads the current state of the cluster. Pools may change at any
// time, so nothing is kept from an earlier one.
func takeSnapshot(ctx context.Context, client kubernetes.Interface) (*snapshot, error) {
	newest := metav1.ListOptions{}
	claims, claimsErr := client.ResourceV1().ResourceClaims(metav1.NamespaceAll).List(ctx, newest)
	offered, slicesErr := client.ResourceV1().ResourceSlices().List(ctx, newest)
	classes, classesErr := client.ResourceV1().DeviceClasses().List(ctx, newest)
	nodes, nodesErr := client.CoreV1().Nodes().List(ctx, newest)
	if err := errors.Join(claimsErr, slicesErr, classesErr, nodesErr); err != nil {
		return nil, fmt.Errorf("read which devices are free: %w", err)
	}
	s := &snapshot{index: allocator.NewIndex(allocator.Config{
		Features: features,
		// Devices that a scheduler ignores because of where their counters are
		// published are not missing because of neighbours.
		Fixes: allocator.Fixes{SameSliceCounters: true},
	})}
	for i := range offered.Items {
		s.objects.Slices = append(s.objects.Slices, &offered.Items[i])
	}
	for i := range classes.Items {
		s.objects.Classes = append(s.objects.Classes, &classes.Items[i])
	}
	for i := range nodes.Items {
		s.objects.Nodes = append(s.objects.Nodes, &nodes.Items[i])
	}
	for i := range claims.Items {
		if claims.Items[i].Status.Allocation != nil {
			s.claims = append(s.claims, &claims.Items[i])
		}
	}
	s.index.Update(s.objects.Slices)
	return s, nil
}

// fits reports whether claims fit on a node if only some of the allocated claims
// hold devices.
func (s *snapshot) fits(ctx context.Context, node *corev1.Node, holders func(*resourceapi.ResourceClaim) bool, claims ...*resourceapi.ResourceClaim) (bool, error) {
	held := s.objects
	for _, claim := range s.claims {
		if holders(claim) {
			held.Claims = append(held.Claims, claim)
		}
	}
	fit, err := s.index.Allocator(held.AllocatedState(features), held.ClassLister()).Fits(ctx, node, claims)
	if err != nil && !errors.Is(err, structured.ErrFailedAllocationOnNode) {
		return false, fmt.Errorf("find out what is free on node %s: %w", node.Name, err)
	}
	return fit, nil
}

// most returns the largest number of devices, up to a limit, for which a claim
// fits on a node.
func (s *snapshot) most(ctx context.Context, node *corev1.Node, holders func(*resourceapi.ResourceClaim) bool, need need) (int64, error) {
	for count := need.count; count > 0; count-- {
		fit, err := s.fits(ctx, node, holders, need.claim(count))
		if fit || err != nil {
			return count, err
		}
	}
	return 0, nil
}

// holding returns the claims that hold devices of a driver on a node, as
// "namespace/name", sorted.
func (s *snapshot) holding(node *corev1.Node, of offer, holders func(*resourceapi.ResourceClaim) bool) []string {
	var names []string
	for _, claim := range s.claims {
		if holders(claim) && of.allocated(node, claim.Status.Allocation.Devices.Results) {
			names = append(names, claim.Namespace+"/"+claim.Name)
		}
	}
	slices.Sort(names)
	return names
}

// CountUsableNodes returns the number of nodes with devices of each driver that
// pods with these devices can run on.
func CountUsableNodes(ctx context.Context, client kubernetes.Interface, info *env.Guest, of subject.Subject) (map[string]int, error) {
	s, err := takeSnapshot(ctx, client)
	if err != nil {
		return nil, err
	}
	usable := map[string]int{}
	for _, driver := range of.Drivers() {
		offered, err := s.offered(ctx, driver)
		if err != nil {
			return nil, err
		}
		usable[driver] = 0
		for _, node := range s.objects.Nodes {
			if offered.has(node) && info.Unusable(node, of.Pods[driver]) == "" {
				usable[driver]++
			}
		}
	}
	return usable, nil
}
