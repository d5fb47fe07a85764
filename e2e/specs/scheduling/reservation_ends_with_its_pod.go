// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// reservationEndsWithItsPod replaces a pod by one of the same name, as a StatefulSet does, first
// by one that uses another claim, and then by one that uses the same claim.
var reservationEndsWithItsPod = suite.Spec{
	ID:           "reservation-ends-with-its-pod",
	Description:  "A claim does not stay reserved for a deleted pod because there is another pod of its name. It is deallocated if that pod does not use it, and reserved for that pod alone if it does.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-reservation-ends"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		for _, device := range []string{"card", "disk"} {
			_, err := claims.Create(ctx, e, device, devices.NewDeviceClaim(fixture.RequestFor(sim, device)))
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
		}
		pods.CreateUsingClaims(ctx, e, "web", pods.Options{}, "card")
		pods.WaitForScheduled(ctx, e, "web")
		pods.DeleteByForce(ctx, e, "web")
		pods.CreateUsingClaims(ctx, e, "web", pods.Options{Change: addGate}, "disk")
		claims.WaitForDeallocated(ctx, e, "card")

		pods.RemoveSchedulingGates(ctx, e, "web")
		pods.WaitForScheduled(ctx, e, "web")
		pods.DeleteByForce(ctx, e, "web")
		pods.CreateUsingClaims(ctx, e, "web", pods.Options{}, "disk")
		pods.WaitForScheduled(ctx, e, "web")
		claims.WaitForConsumers(ctx, e, "disk", "the former pod of this name is gone", 1)
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, "web", metav1.GetOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(claims.Get(ctx, e, "disk").Status.ReservedFor[0].UID).To(gomega.Equal(pod.UID), "claim disk should be reserved for the pod that exists")
	},
}
