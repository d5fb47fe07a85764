// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// deviceStatusOfEachDriverNeedsTheRight writes the status of devices of a claim for
// devices of two drivers, as an account with the right for one of them.
var deviceStatusOfEachDriverNeedsTheRight = suite.Spec{
	ID:           "device-status-of-each-driver-needs-the-right",
	Description:  "In a claim for devices of two drivers, a user with the right to write the status of devices of one driver can change their status beside that of the other driver, and nothing together with the status of the other driver.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     authorizationFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Since:        "1.36",
	Requirements: []string{"4817-writers-own-entries"},
	Body: func(ctx context.Context, e *env.Env) {
		cards := simulated.CreateNodes(ctx, e, 1)
		disks := cards.AddDriver(ctx)
		for _, driver := range []*simulated.Nodes{cards, disks} {
			driver.CreatePool(ctx, simulated.Pool{Node: cards.Names[0]}, fixture.Devices("device"))
		}
		pods.CreateWithRequests(ctx, e, "both", []devices.Request{{Name: "card", Device: cards.Device("")}, {Name: "disk", Device: disks.Device("")}})
		pods.WaitForScheduled(ctx, e, "both")
		before := []resourceapi.AllocatedDeviceStatus{statusOf(ctx, e, "card", "before"), statusOf(ctx, e, "disk", "before")}
		gomega.Expect(claims.UpdateDeviceStatus(ctx, e, "both", before...)).To(gomega.Succeed(), "the API server should store the status of allocated devices")

		// One of the two drivers is the first in each order.
		for i, driver := range []string{cards.Driver, disks.Driver} {
			who := "account " + []string{"of-cards", "of-disks"}[i]
			acting := actAs(ctx, e, account{Name: who[len("account "):], Verbs: []string{"arbitrary-node:update"}, Drivers: []string{driver}}, "both")
			changed := []resourceapi.AllocatedDeviceStatus{statusOf(ctx, e, "card", who), statusOf(ctx, e, "disk", who)}
			expectRefused(ctx, acting, "both", "status.devices", report(changed...), who+", which changes the status of both drivers,")
			expectRefused(ctx, acting, "both", "status.devices", report(changed[i]), who+", which removes the status of the other driver,")
			own := slices.Clone(claims.GetDeviceStatus(ctx, e, "both"))
			own[i] = changed[i]
			gomega.Expect(changeStatus(ctx, acting, "both", report(own...))).To(gomega.Succeed(), "%s should be able to change the status of its driver beside that of the other one", who)
		}
	},
}

// statusOf returns a status of the device that is allocated for a request of claim both,
// with a message.
func statusOf(ctx context.Context, e *env.Env, request, message string) resourceapi.AllocatedDeviceStatus {
	for _, result := range claims.GetAllocation(ctx, e, "both").Results {
		if result.Request == request {
			return claims.ReadyStatusOf(result, message)
		}
	}
	return resourceapi.AllocatedDeviceStatus{}
}
