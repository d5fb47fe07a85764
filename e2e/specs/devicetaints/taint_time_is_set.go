// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"
	"time"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintTimeIsSet publishes a device with a taint without a time, and taints two
// other devices in an update, one of them with a time.
var taintTimeIsSet = suite.Spec{
	ID:           "taint-time-is-set",
	Description:  "The API server sets the time of a taint that has none, when a ResourceSlice is created and when it is updated, and keeps the time of other taints.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-time-of-taint"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("created", "updated", "earlier")
		inventory.Devices[0].Taints = []resourceapi.DeviceTaint{noSchedule}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		created := sim.GetSlices(ctx, sim.Names[0])[0].Spec.Devices[0].Taints
		gomega.Expect(created).To(gomega.ConsistOf(gomega.HaveField("TimeAdded", gomega.Not(gomega.BeNil()))), "a new taint should have a time")

		hourAgo := metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))
		earlier := noSchedule
		earlier.TimeAdded = &hourAgo
		stored := sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"created": created, "updated": {noSchedule}, "earlier": {earlier}})
		gomega.Expect(stored["updated"].Taints).To(gomega.ConsistOf(gomega.HaveField("TimeAdded", gomega.Not(gomega.BeNil()))), "a taint that is added in an update should have a time")
		for name, want := range map[string]*metav1.Time{"created": created[0].TimeAdded, "earlier": &hourAgo} {
			gomega.Expect(stored[name].Taints).To(gomega.HaveLen(1))
			gomega.Expect(stored[name].Taints[0].TimeAdded.Equal(want)).To(gomega.BeTrue(), "the taint of device %s should keep its time %s, and has %s", name, want, stored[name].Taints[0].TimeAdded)
		}
	},
}
