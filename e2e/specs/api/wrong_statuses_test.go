// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongStatuses are clusters whose API server handles the status of devices
// incorrectly.
var wrongStatuses = wrong.Table{
	"API server accepts invalid statuses": {
		Spec: "device-status-is-validated",
		Want: []string{"a condition without a reason: is accepted, and should be rejected because of status.devices[0].conditions[0].reason", "17 addresses: is accepted"},
	},
	"API server stores the status of any device": {
		Options: wrong.With(fakecluster.Mistakes{StoresAnyStatus: true}), Spec: "device-status-is-validated",
		Want: []string{"a device that is not allocated: is accepted, and should be rejected because of status.devices[0]"},
	},
	"status of devices outlives their allocation": {
		Options: wrong.With(fakecluster.Mistakes{KeepsStatus: true}), Spec: "device-status-is-dropped-with-allocation",
		Want: []string{"claim card, which is deallocated, should not have the status of devices"},
	},
	"API server stores the status of devices of deallocated claims": {
		Options: wrong.With(fakecluster.Mistakes{StoresAnyStatus: true}), Spec: "device-status-is-dropped-with-allocation",
		Want: []string{"the API server should reject the status of a device that is not allocated any more"},
	},
}
