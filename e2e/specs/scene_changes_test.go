package specs_test

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
)

// misreads is a cluster whose scheduler sees something else than there is.
func misreads(change func(*fakecluster.Scene)) fakecluster.Options {
	return makes(fakecluster.Mistakes{Misreads: change})
}

// misreadsDevices is a cluster whose scheduler sees other devices.
func misreadsDevices(change func(*resourceapi.Device)) fakecluster.Options {
	return misreads(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			for i := range slice.Spec.Devices {
				change(&slice.Spec.Devices[i])
			}
		}
	})
}

// misreadsPolicies is a cluster whose scheduler sees other policies of memory.
func misreadsPolicies(change func(*resourceapi.CapacityRequestPolicy)) fakecluster.Options {
	return misreadsDevices(func(d *resourceapi.Device) {
		if policy := d.Capacity["memory"].RequestPolicy; policy != nil {
			change(policy)
		}
	})
}

// misreadsClaims is a cluster whose scheduler sees other requests and
// constraints of the claims that it allocates for.
func misreadsClaims(change func(*resourceapi.DeviceClaim)) fakecluster.Options {
	return misreads(func(s *fakecluster.Scene) {
		for _, claim := range s.Claims {
			change(&claim.Spec.Devices)
		}
	})
}

// miswritesResults is a cluster whose scheduler writes down other results than
// it found.
func miswritesResults(change func(*resourceapi.DeviceRequestAllocationResult)) fakecluster.Options {
	return makes(fakecluster.Mistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
		for i := range results {
			for j := range results[i].Devices.Results {
				change(&results[i].Devices.Results[j])
			}
		}
	}})
}

// sharesIn counts the results of allocated claims that have a device.
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
