// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/fault"
)

// claimsByDevice is the index of claims by the devices that they hold.
const claimsByDevice = "draconform.dev/claims-by-device"

// devicesOfClaim returns the devices that a claim holds, as driver/pool/device.
func devicesOfClaim(object any) ([]string, error) {
	claim, ok := object.(*resourceapi.ResourceClaim)
	if !ok || claim.Status.Allocation == nil {
		return nil, nil
	}
	var ids []string
	for i := range claim.Status.Allocation.Devices.Results {
		if r := &claim.Status.Allocation.Devices.Results[i]; !ptr.Deref(r.AdminAccess, false) {
			ids = append(ids, structured.MakeDeviceID(r.Driver, r.Pool, r.Device).String())
		}
	}
	return ids, nil
}

// holders collects claims without duplicates.
type holders struct {
	claims []*resourceapi.ResourceClaim
	known  map[types.UID]bool
}

func (h *holders) add(claim *resourceapi.ResourceClaim) {
	if h.known == nil {
		h.known = map[types.UID]bool{}
	}
	if !h.known[claim.UID] {
		h.known[claim.UID] = true
		h.claims = append(h.claims, claim)
	}
}

// addStored adds the claims that hold a device according to the informer's cache.
func (h *holders) addStored(claims cache.Indexer, device string) error {
	objects, err := claims.ByIndex(claimsByDevice, device)
	if err != nil {
		return fmt.Errorf("look up claims of device %s: %w", device, err)
	}
	for _, object := range objects {
		claim, ok := object.(*resourceapi.ResourceClaim)
		if ok && (!fault.ForgetsLocksAtRestart || !fault.Early(claim.CreationTimestamp.Time)) {
			h.add(claim)
		}
	}
	return nil
}

// holdersOf returns the names of the claims that hold a device or shares of it.
func (s *shared) holdersOf(device structured.DeviceID) []types.NamespacedName {
	id := device.String()
	var found holders
	for _, claim := range s.inFlight.list() {
		if ids, err := devicesOfClaim(claim); err == nil && slices.Contains(ids, id) {
			found.add(claim)
		}
	}
	if err := found.addStored(s.claims, id); err != nil {
		return nil // Unreachable: the index exists.
	}
	var names []types.NamespacedName
	for _, claim := range found.claims {
		names = append(names, types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name})
	}
	return names
}
