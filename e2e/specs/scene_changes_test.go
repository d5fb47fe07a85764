package specs_test

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
)

// misreads returns a cluster whose scheduler sees changed objects.
func misreads(change func(*fakecluster.Scene)) fakecluster.Options {
	return makes(fakecluster.Mistakes{Misreads: change})
}

// misreadsDevices returns a cluster whose scheduler sees changed devices.
func misreadsDevices(change func(*resourceapi.Device)) fakecluster.Options {
	return misreads(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			for i := range slice.Spec.Devices {
				change(&slice.Spec.Devices[i])
			}
		}
	})
}

// misreadsPolicies returns a cluster whose scheduler sees changed request
// policies of the capacity memory.
func misreadsPolicies(change func(*resourceapi.CapacityRequestPolicy)) fakecluster.Options {
	return misreadsDevices(func(d *resourceapi.Device) {
		if policy := d.Capacity["memory"].RequestPolicy; policy != nil {
			change(policy)
		}
	})
}

// misreadsClaims returns a cluster whose scheduler sees changed specs of the
// claims that it allocates.
func misreadsClaims(change func(*resourceapi.DeviceClaim)) fakecluster.Options {
	return misreads(func(s *fakecluster.Scene) {
		for _, claim := range s.Claims {
			change(&claim.Spec.Devices)
		}
	})
}

// miswritesResults returns a cluster whose scheduler stores changed allocation
// results.
func miswritesResults(change func(*resourceapi.DeviceRequestAllocationResult)) fakecluster.Options {
	return makes(fakecluster.Mistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
		for i := range results {
			for j := range results[i].Devices.Results {
				change(&results[i].Devices.Results[j])
			}
		}
	}})
}

// sharesIn returns the number of allocation results for a device.
func sharesIn(s *fakecluster.Scene, device string) int64 {
	var n int64
	for _, claim := range s.Objects.Claims {
		for _, result := range claim.Status.Allocation.Devices.Results {
			if result.Device == device {
				n++
			}
		}
	}
	return n
}
