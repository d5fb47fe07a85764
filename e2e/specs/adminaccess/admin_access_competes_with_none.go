// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"
	"fmt"
	"time"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// adminAccessCompetesWithNone creates pods with admin access to all devices and pods that
// need one device each, in turns, and then exactly as many devices as the latter need. Nothing
// changes after that which would make the scheduler try a pod again.
var adminAccessCompetesWithNone = suite.Spec{
	ID:           "admin-access-competes-with-none",
	Description:  "Pods that get admin access to devices do not keep pods that need these devices at the same moment from being scheduled.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Scheduler,
	Needs:        allDevicesNeeds,
	Alone:        true,
	Requirements: []string{"5018-holds-nothing"},
	Body: func(ctx context.Context, e *env.Env) {
		// kube-scheduler tries unschedulable pods again after five minutes.
		e.Timeouts.PodStart = min(e.Timeouts.PodStart, 3*time.Minute)
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		all := withAdminAccess(fixture.AnyDevice(sim))
		all.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		var names, cards []string
		for i := range 12 {
			cards = append(cards, fmt.Sprintf("card-%d", i))
			names = append(names, fmt.Sprintf("monitor-%d", i), fmt.Sprintf("user-%d", i))
			pods.CreateWithClaim(ctx, e, names[2*i], all)
			pods.CreateWithClaim(ctx, e, names[2*i+1], devices.NewDeviceClaim(fixture.AnyDevice(sim)))
		}
		pods.WaitForPending(ctx, e, "there are no devices", names...)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices(cards...))
		pods.WaitForScheduled(ctx, e, names...)
	},
}
