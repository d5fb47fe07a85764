// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// prioritizedListContainersNameRequests creates a pod with a container for
// each of two requests. One of them is a list whose first subrequest does not
// fit, and its name is the beginning of that of the other one. It compares the
// devices that the containers report with the allocation. When the pod is deleted, the claim must be unprepared.
var prioritizedListContainersNameRequests = suite.Spec{
	ID:           "prioritized-list-containers-name-requests",
	Description:  "A container that names a request with subrequests sees the devices of the allocated subrequest, and those of no other request. They are unprepared when the pod ends.",
	Profile:      profile,
	Features:     subRequestFeatures,
	Component:    env.Driver,
	Kinds:        subRequestKinds,
	Fields:       []subject.Field{subject.PartitionParents},
	Capabilities: []subject.Capability{subject.ContainerSharing},
	Sees:         subject.Identified,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4816-container-gets-the-chosen-devices", "4816-drivers-see-no-difference"},
	Body: func(ctx context.Context, e *env.Env) {
		sub := findFreeSubRequests(ctx, e)
		// A parent device has only one whole device, so the first subrequest
		// cannot be satisfied.
		pods.CreateWithContainerPerRequest(ctx, e, "pod", []devices.Request{
			fixture.FirstAvailable("list", twoOf(sub.whole), twoOf(sub.small)),
			{Name: "list-other", Device: sub.small.Device},
		})
		expectRunningFor(ctx, e, "pod", "there is one whole device", "list/small", "list/small", "list-other")
		for _, request := range []string{"list", "list-other"} {
			pods.ExpectContainerDevices(ctx, e, "pod", request, claims.GetDevicesForRequest(ctx, e, "pod", request))
		}
		node := pods.GetNode(ctx, e, "pod")
		drivers.WaitForPrepared(ctx, e, sub.small.Device.Driver, node, "pod")
		pods.DeleteWithClaim(ctx, e, "pod")
		drivers.WaitForUnprepared(ctx, e, sub.small.Device.Driver, node, "pod")
	},
}
