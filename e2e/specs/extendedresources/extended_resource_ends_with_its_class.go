// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceEndsWithItsClass gives a DeviceClass the name of another extended resource,
// and deletes another class, after devices of both have provided their resources. When the
// scheduler has observed that, further pods request the former resources and the new one.
var extendedResourceEndsWithItsClass = suite.Spec{
	ID:           "extended-resource-ends-with-its-class",
	Description:  "Devices do not provide an extended resource any more when its DeviceClass gets another name or is deleted. Those of the former class provide the one with the new name.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.35", // As the spec of classes that get a name.
	Requirements: []string{"5004-no-class-no-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "card-2", "tape-0", "tape-1", "seen"))
		card, tape, disk := simulated.ExtendedResource(e, "card"), simulated.ExtendedResource(e, "tape"), simulated.ExtendedResource(e, "disk")
		cards := sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		tapes := sim.CreateExtendedResource(ctx, "tape", "tapes", named(e, "tape"))
		createPod(ctx, e, "first", card, tape)
		pods.WaitForScheduled(ctx, e, "first")
		claims.UpdateDeviceClass(ctx, e, cards.Class, func(spec *resourceapi.DeviceClassSpec) { spec.ExtendedResourceName = ptr.To(string(disk)) })
		claims.DeleteDeviceClass(ctx, e, tapes.Class)
		waitUntilObserved(ctx, e, sim)
		createPod(ctx, e, "late-card", card)
		createPod(ctx, e, "late-tape", tape)
		createPod(ctx, e, "disk", disk)
		pods.WaitForScheduled(ctx, e, "disk")
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{
			"late-card": "its DeviceClass has the name of another extended resource now",
			"late-tape": "its DeviceClass was deleted",
		})
	},
}
