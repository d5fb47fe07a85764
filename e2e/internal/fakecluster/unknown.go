package fakecluster

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/internal/rules"
)

// stillUnknown updates the set of devices that are unknown because a claim on them does not state the values that they
// require. It returns a placeholder claim for each of these devices that is still in use (KEP-5981, Restart
// reconstruction, step 6).
func (c *Cluster) stillUnknown(objects state.Objects) ([]*resourceapi.ResourceClaim, error) {
	demanded, err := demands(objects.Slices)
	if err != nil {
		return nil, err
	}
	inUse := map[holding]resourceapi.DeviceRequestAllocationResult{}
	for _, claim := range objects.Claims {
		allocated := claim.Status.Allocation.Devices
		for _, r := range allocated.Results {
			at := holding{r.Pool, r.Device}
			inUse[at] = r
			if rule, ok := demanded[at]; ok {
				if _, err := rule.Admit(allocated.Config, r.Request); err != nil {
					c.unknown[at] = true
				}
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
	return gone, nil
}

// demands returns the affinity rules that the slices declare.
func demands(slices []*resourceapi.ResourceSlice) (map[holding]affinity.Rule, error) {
	demanded := map[holding]affinity.Rule{}
	for _, slice := range slices {
		declared, err := rules.SharingAffinity(slice)
		if err != nil {
			return nil, err
		}
		for device, declaration := range declared {
			demanded[holding{slice.Spec.Pool.Name, device}] = affinity.Rule{Declaration: declaration, Declared: true}
		}
	}
	return demanded, nil
}
