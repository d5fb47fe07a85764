package fakecluster

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/state"
)

// stillUnknown looks which devices are unknown because a claim on them states nothing, and returns claims that stand for
// those that are gone while others are still on these devices (KEP-5981, Restart reconstruction, step 6).
func (c *Cluster) stillUnknown(objects state.Objects) []*resourceapi.ResourceClaim {
	declared := map[string]bool{}
	for _, slice := range objects.Slices {
		if slice.Annotations[allocator.AffinityAnnotation] != "" {
			declared[slice.Spec.Pool.Name] = true
		}
	}
	inUse := map[holding]resourceapi.DeviceRequestAllocationResult{}
	for _, claim := range objects.Claims {
		for _, r := range claim.Status.Allocation.Devices.Results {
			at := holding{r.Pool, r.Device}
			inUse[at] = r
			if declared[r.Pool] && len(claim.Status.Allocation.Devices.Config) == 0 {
				c.unknown[at] = true
			}
		}
	}
	var gone []*resourceapi.ResourceClaim
	for at := range c.unknown {
		r, ok := inUse[at]
		if !ok {
			delete(c.unknown, at)
			continue
		}
		claim := &resourceapi.ResourceClaim{Status: resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{}}}
		claim.Status.Allocation.Devices.Results = []resourceapi.DeviceRequestAllocationResult{r}
		gone = append(gone, claim)
	}
	return gone
}
