// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocator

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/affinity"
)

// AffinityAnnotation is the annotation in which a ResourceSlice declares the sharing affinity of its devices. Its
// value is a JSON object from device names to {"attributeKeys": [fully qualified names, 1 to 8]}. It stands for the
// field spec.devices[].sharingAffinity of KEP-5981 in its revision 44f990de4. API servers currently drop that field.
const AffinityAnnotation = affinity.Annotation

// AffinityState contains the active claims of the cluster. The affinity values to which a device is locked are
// reconstructed from them. A lock lasts as long as claims are allocated on the device and depends on nothing else:
//   - A device without claims is clean. It takes the values of the first claim for which it is allocated.
//   - A device whose claims all state the same values for its keys is locked to these values.
//   - A device is unknown if one of its claims states no such values, more than one entry, or an entry that cannot
//     be decoded. It is also unknown if its claims contradict each other, or if a part of it is allocated for a
//     claim that is not given. No claim can join an unknown device until all of its claims are released. Values
//     are never guessed.
//
// The values of a claim are in the single entry among the opaque parameters of class and claim for a request that
// has the driver "resource.k8s.io", the apiVersion "resource.k8s.io/v1alpha1" and the kind "StructuredParameters".
// Its attributes have the form of device attributes. Attributes that a device demands must be strings. An allocation
// with admin access neither needs nor holds values. The same rules apply to a device that is allocated for a single
// claim and to a device of a request for all devices. A request for all devices is not satisfied if its values
// exclude one of them.
//
// AffinityState is safe for concurrent use. Nil is the state without claims.
type AffinityState struct{ state *affinity.State }

// NewAffinityState returns the state that results from the claims. The caller passes all claims with an allocation
// in their status, and the claims whose allocation is decided but not yet stored, with their future status. Claims
// without an allocation are ignored. It does no work as long as no device demands values. The claims must not change
// afterwards.
func NewAffinityState(claims []*resourceapi.ResourceClaim) *AffinityState {
	return &AffinityState{affinity.NewState(claims)}
}

func (s *AffinityState) reconstructed() *affinity.State {
	if s == nil {
		return nil
	}
	return s.state
}
