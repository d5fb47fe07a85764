// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceFailedBindingFreesCapacity creates a pod whose claim cannot be updated, because
// an admission policy rejects the update. The scheduler has chosen a share of a device for it by
// then. When the scheduler has reported the failure, the pod is deleted, and another one requests
// all slots of the device.
var sharedDeviceFailedBindingFreesCapacity = suite.Spec{
	ID:           "shared-device-failed-binding-frees-capacity",
	Description:  "When a pod cannot be bound because its claim for a share of a device cannot be allocated in the end, other pods can use the capacity of this share.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-failed-binding-frees-capacity"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "nic.yaml"))
		of := func(n int64) resourceapi.DeviceClaim {
			return devices.NewDeviceClaim(requestShare(sim, "nic", slots(n)))
		}
		pods.CreateWithFailingBinding(ctx, e, "failing", of(3))
		pods.Delete(ctx, e, "failing")
		pods.CreateWithClaim(ctx, e, "whole", of(8))
		pods.WaitForScheduled(ctx, e, "whole")
	},
}
