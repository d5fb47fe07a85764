// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// failedBindingKeepsOtherUsers creates a second pod for a claim in use, which an admission
// policy does not let be bound. kube-controller-manager adds reservations that are missing,
// so each state of the claim counts.
var failedBindingKeepsOtherUsers = suite.Spec{
	ID:           "failed-binding-keeps-other-users",
	Description:  "When a pod cannot be bound, only its own reservation of a claim is removed. The claim stays reserved for the pods that use it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-failed-binding-keeps-others"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createPodFor(ctx, e, sim, "user", "card")
		pods.WaitForScheduled(ctx, e, "user")
		claims.RejectBinding(ctx, e, "failing")
		states := claims.WatchStates(ctx, e, "user")
		pods.CreateUsingClaims(ctx, e, "failing", pods.Options{}, "user")
		pods.WaitForFailedBinding(ctx, e, "failing")
		pods.Delete(ctx, e, "failing")
		claims.WaitForConsumers(ctx, e, "user", "pod user is on its node, and pod failing is deleted", 1)
		for _, state := range states() {
			gomega.Expect(state.Status.ReservedFor).To(gomega.ContainElement(gomega.HaveField("Name", "user")), "claim user should stay reserved for pod user, which is on its node")
		}
	},
}
