// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// claimCreatedLetsPodsIn creates a pod that names a claim, and then the claim.
// Nothing else changes. It does the same with a pod that also names a claim that exists.
var claimCreatedLetsPodsIn = suite.Spec{
	ID:           "claim-created-lets-pods-in",
	Description:  "A pod that names a claim that does not exist is scheduled when the claim is created.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"4381-scheduling-claims-exist-first"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk", "board"))
		request := devices.NewDeviceClaim(fixture.AnyDevice(sim))
		existing, err := claims.Create(ctx, e, "existing", request)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		create := func(pod string, used ...*resourceapi.ResourceClaim) {
			_, err := pods.Create(ctx, e, pod, pods.Options{}, used...)
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
			pods.ExpectNotBound(ctx, e, pod, "a claim that it names does not exist")
		}
		create("pod", named("late"))
		create("with-two", existing, named("second"))
		for i, claim := range []string{"late", "second"} {
			_, err = claims.Create(ctx, e, claim, request)
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
			pods.WaitForScheduled(ctx, e, []string{"pod", "with-two"}[i])
		}
	},
}

// named returns a claim with a name, for a pod that is created before the claim.
func named(name string) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}}
}
