// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// claimHas256Consumers reserves an allocated claim for as many pods that never
// run that one more consumer is possible. Two pods follow. Then one of the
// consumers is deleted, so that the second pod takes its place, and another one is scheduled.
var claimHas256Consumers = suite.Spec{
	ID:           "claim-has-256-consumers",
	Description:  "A claim has up to 256 consumers. The next pod waits, and is scheduled when one of them is gone. A pod that is one of them does not wait.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-limit-of-consumers"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createPodFor(ctx, e, sim, "shared", "card")
		pods.WaitForScheduled(ctx, e, "shared")
		ginkgo.By("creating pods that never run")
		var users []*corev1.Pod
		for i := range resourceapi.ResourceClaimReservedForMaxSize - 2 {
			user, err := pods.Create(ctx, e, fmt.Sprintf("user-%d", i), pods.Options{Change: addGate}, &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "shared"}})
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
			users = append(users, user)
		}
		gomega.Expect(claims.ReserveForPods(ctx, e, "shared", users...)).To(gomega.Succeed())

		pods.CreateUsingClaims(ctx, e, "last", pods.Options{}, "shared")
		pods.WaitForScheduled(ctx, e, "last")
		pods.CreateUsingClaims(ctx, e, "late", pods.Options{}, "shared")
		pods.WaitForPending(ctx, e, "its claim has 256 consumers", "late")
		pods.Delete(ctx, e, users[0].Name)
		pods.WaitForScheduled(ctx, e, "late")
		pods.RemoveSchedulingGates(ctx, e, users[1].Name)
		pods.WaitForScheduled(ctx, e, users[1].Name)
	},
}
