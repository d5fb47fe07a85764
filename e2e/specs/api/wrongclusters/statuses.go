// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongStatuses are clusters whose API server handles the status of devices
// incorrectly.
var wrongStatuses = wrong.Table{
	"API server accepts invalid statuses": {
		Spec: "device-status-is-validated",
		Want: []string{"a condition without a reason: is accepted, and should be rejected because of status.devices[0].conditions[0].reason", "17 addresses: is accepted", "data of more than 10 Ki bytes: is accepted"},
	},
	"API server drops much data": {
		Options: wrong.With(fakecluster.APIServerMistakes{DropsInUpdates: dropMuchData}), Spec: "device-status-is-validated",
		Want: []string{"data of 10 Ki bytes: status.devices[0].data"},
	},
	"API server stores the status of any device": {
		Options: wrong.With(fakecluster.APIServerMistakes{StoresAnyStatus: true}), Spec: "device-status-is-validated",
		Want: []string{"a device that is not allocated: is accepted, and should be rejected because of status.devices[0]"},
	},
	"status of devices outlives their allocation": {
		Options: wrong.With(fakecluster.APIServerMistakes{KeepsStatus: true}), Spec: "device-status-is-dropped-with-allocation",
		Want: []string{"claim card, which is deallocated, should not have the status of devices"},
	},
	"API server stores the status of devices of deallocated claims": {
		Options: wrong.With(fakecluster.APIServerMistakes{StoresAnyStatus: true}), Spec: "device-status-is-dropped-with-allocation",
		Want: []string{"the API server should reject the status of a device that is not allocated any more"},
	},
	"scheduler drops the status of devices when it reserves a claim": {
		Options: wrong.Misreads(eachAllocated(func(c *resourceapi.ResourceClaim) { c.Status.Devices = nil })), Spec: "reservation-keeps-the-rest",
		Want: []string{"the status of the device should stay"},
	},
	"scheduler replaces the metadata when it reserves a claim": {
		Options: wrong.Misreads(eachAllocated(func(c *resourceapi.ResourceClaim) { c.Annotations = nil })), Spec: "reservation-keeps-the-rest",
		Want: []string{"the annotations of the claim should stay"},
	},
}

// eachAllocated changes the allocated claims that the scheduler reads, and writes when
// it reserves them.
func eachAllocated(change func(*resourceapi.ResourceClaim)) func(*fakecluster.Scene) {
	return func(s *fakecluster.Scene) {
		for _, claim := range s.Objects.Claims {
			change(claim)
		}
	}
}

// dropMuchData removes the data of devices in the status of a claim, if it has more than 8 Ki.
func dropMuchData(object runtime.Object) {
	if claim, ok := object.(*resourceapi.ResourceClaim); ok {
		for i := range claim.Status.Devices {
			if device := &claim.Status.Devices[i]; device.Data != nil && len(device.Data.Raw) > 8<<10 {
				device.Data = nil
			}
		}
	}
}
