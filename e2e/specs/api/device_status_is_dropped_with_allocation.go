// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// deviceStatusIsDroppedWithAllocation writes the status of an allocated device, as
// its driver does, and deletes the pod. Then it writes the status again.
var deviceStatusIsDroppedWithAllocation = suite.Spec{
	ID:           "device-status-is-dropped-with-allocation",
	Description:  "When a claim is deallocated, the API server drops the status of its devices. It rejects their status from then on.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     statusFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4817-status-ends-with-allocation", "4817-status-needs-allocation"},
	Body: func(ctx context.Context, e *env.Env) {
		allocateCards(ctx, e, "card")
		status := claims.ReadyStatus(ctx, e, "card", "allocated")
		gomega.Expect(claims.UpdateDeviceStatus(ctx, e, "card", status)).To(gomega.Succeed(), "the API server should store the status of an allocated device")
		pods.Delete(ctx, e, "card")
		claims.WaitForDeallocated(ctx, e, "card")
		claims.ExpectNoDeviceStatus(ctx, e, "card")
		err := claims.UpdateDeviceStatus(ctx, e, "card", status)
		gomega.Expect(dryrun.InvalidFields(err)).To(gomega.ContainElement(gomega.HavePrefix("status.devices")), "the API server should reject the status of a device that is not allocated any more: %v", err)
	},
}
