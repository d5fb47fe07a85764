package allocator

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/affinity"
)

// AffinityAnnotation is where a ResourceSlice declares what its devices demand of the claims that share them: a JSON
// object from device names to {"attributeKeys": [fully qualified names, 1 to 8]}. It stands for the field
// spec.devices[].sharingAffinity of KEP-5981 in its revision 44f990de4, which API servers drop so far.
const AffinityAnnotation = affinity.Annotation

// AffinityState is the active claims of the cluster, of which it is reconstructed which values a device is
// locked to. A lock lasts as long as there are claims on the device and depends on nothing else:
//   - a device without claims is clean, and takes the values of the first claim it is allocated for;
//   - a device whose claims all state the same values for its keys is locked to these;
//   - a device is unknown if one of its claims states no such values, or more than one entry, or one that cannot be
//     decoded, if its claims contradict each other, or if something of it is allocated for a claim that is not
//     given. Nobody can join it until all of its claims are released. Nothing is ever guessed.
//
// What a claim states is the one entry among the opaque parameters that class and claim have for a request, with the
// driver "resource.k8s.io", the apiVersion "resource.k8s.io/v1alpha1" and the kind "StructuredParameters". Its
// attributes have the form of device attributes; those that a device demands must be strings. What is allocated
// with admin access neither needs nor holds values. A device that is allocated for one claim alone, or that is
// one of all devices of a request, follows the same rules; a request for all devices is not satisfied without
// those that its values keep away.
//
// It is safe for concurrent use. Nil is the state without claims.
type AffinityState struct{ state *affinity.State }

// NewAffinityState returns the state that claims make: all those with an allocation in their status, and those whose
// allocation is decided and not yet stored, with a status as it will be. Claims without an allocation do
// not matter. It costs nothing as long as no device demands anything. The claims must not change afterwards.
func NewAffinityState(claims []*resourceapi.ResourceClaim) *AffinityState {
	return &AffinityState{affinity.NewState(claims)}
}

func (s *AffinityState) reconstructed() *affinity.State {
	if s == nil {
		return nil
	}
	return s.state
}
