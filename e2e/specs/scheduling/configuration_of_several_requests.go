// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// configurationOfSeveralRequests creates a claim with three requests, and with configurations
// for two of them, for all of them by name, and for one.
var configurationOfSeveralRequests = suite.Spec{
	ID:           "configuration-of-several-requests",
	Description:  "A configuration in a claim that names several requests is in the allocation once for each of them, in the order of the claim, and not for other requests.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Since:        "1.37", // Earlier schedulers write it once for each request that it names.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-configuration-of-the-claim"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "card-2"))
		device := sim.Device("")
		claim := devices.NewDeviceClaim([]devices.Request{{Name: "a", Device: device}, {Name: "b", Device: device}, {Name: "c", Device: device}})
		for _, entry := range []struct {
			mode     string
			requests []string
		}{{"outer", []string{"a", "c"}}, {"all", []string{"a", "b", "c"}}, {"last", []string{"c"}}} {
			claim.Config = append(claim.Config, resourceapi.DeviceClaimConfiguration{Requests: entry.requests, DeviceConfiguration: configuration(sim.Driver, entry.mode)})
		}
		pods.CreateWithClaim(ctx, e, "pod", claim)
		pods.WaitForScheduled(ctx, e, "pod")
		for _, want := range []struct {
			request string
			modes   []string
		}{{"a", []string{"outer", "all"}}, {"b", []string{"all"}}, {"c", []string{"outer", "all", "last"}}} {
			gomega.Expect(modesOf(ctx, e, "pod", want.request)).To(gomega.Equal(want.modes), "request %s should have each configuration that the claim has for it, once", want.request)
		}
	},
}
