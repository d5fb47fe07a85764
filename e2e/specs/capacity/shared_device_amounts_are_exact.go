// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceAmountsAreExact shares a device with one unit of a capacity. Two claims
// request 400m of it each. Then 300m are too much, and 200m are left.
var sharedDeviceAmountsAreExact = suite.Spec{
	ID:           "shared-device-amounts-are-exact",
	Description:  "Shares consume fractions of a capacity without rounding, if it has no request policy.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Since:        "1.35", // As other specs of what shares consume.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-amounts-are-quantities"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("nic")
		inventory.Devices[0].AllowMultipleAllocations = ptr.To(true)
		inventory.Devices[0].Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"rate": {Value: resource.MustParse("1")}}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		create := func(pod, rate string) {
			pods.CreateWithRequests(ctx, e, pod, requestShare(sim, "nic", amounts{"rate": resource.MustParse(rate)}))
		}
		for _, name := range []string{"first", "second"} {
			create(name, "400m")
			consumed := waitForShares(ctx, e, name)[0].ConsumedCapacity["rate"]
			gomega.Expect(consumed.MilliValue()).To(gomega.BeEquivalentTo(400), "claim %s should consume the thousandths that it requests", name)
		}
		create("too-much", "300m")
		pods.WaitForUnschedulable(ctx, e, "too-much", "only 200m of the capacity are left")
		create("rest", "200m")
		pods.WaitForScheduled(ctx, e, "rest")
	},
}
