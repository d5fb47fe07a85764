// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// classConfiguresItsRequests creates two DeviceClasses with configurations, and one
// without. The configurations have two entries each. The two claims of a pod have requests
// for these classes in different orders, so that neither the number of a request nor the
// request before it tells its class. Their first requests have a configuration of their own,
// too, and names with which those of the others begin.
var classConfiguresItsRequests = suite.Spec{
	ID:           "class-configures-its-requests",
	Description:  "Each request has the configuration of its own DeviceClass in the allocation, and of no other class, whatever other requests and claims of the pod there are. That of the claim follows it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-configuration-of-the-class"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "card-2", "card-3", "card-4", "card-5", "card-6"))
		classes := map[string]subject.Device{"": sim.Device("")}
		for _, mode := range []string{"slow", "fast"} {
			var config []resourceapi.DeviceClassConfiguration
			for _, entry := range []string{mode, "also-" + mode} {
				config = append(config, resourceapi.DeviceClassConfiguration{DeviceConfiguration: configuration(sim.Driver, entry)})
			}
			classes[mode] = claims.CreateDeviceClass(ctx, e, mode, sim.Device(""), config...)
		}
		modes := [][]string{{"slow", "fast", "slow"}, {"fast", "", "slow", "fast"}}
		requested := make([]resourceapi.DeviceClaim, len(modes))
		for i := range modes {
			var requests []devices.Request
			for j, mode := range modes[i] {
				requests = append(requests, devices.Request{Name: numberedRequest(j), Device: classes[mode]})
			}
			requested[i] = devices.NewDeviceClaim(requests)
			requested[i].Config = []resourceapi.DeviceClaimConfiguration{{Requests: []string{numberedRequest(0)}, DeviceConfiguration: configuration(sim.Driver, "own")}}
		}

		pods.CreateWithClaims(ctx, e, "pod", requested...)
		pods.WaitForScheduled(ctx, e, "pod")
		for i := range modes {
			claim := fmt.Sprintf("pod-%d", i)
			for j, mode := range modes[i] {
				request := numberedRequest(j)
				var want []string
				if mode != "" {
					want = []string{mode, "also-" + mode}
				}
				if j == 0 {
					want = append(want, "own")
				}
				gomega.Expect(modesOf(ctx, e, claim, request)).To(gomega.Equal(want), "%s of claim %s should have the configuration of its class and no other, followed by its own", request, claim)
			}
		}
	},
}

// numberedRequest returns the name of a request by its number. Those of all requests begin
// with that of the first one.
func numberedRequest(number int) string {
	if number == 0 {
		return "request"
	}
	return fmt.Sprintf("request-%d", number)
}
