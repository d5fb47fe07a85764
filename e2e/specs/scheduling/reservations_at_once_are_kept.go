// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// reservationsAtOnceAreKept creates many pods that use an allocated claim, and that wait
// for a label of its node. When the node gets the label, a scheduler retries all of them
// at the same time, much faster than the API server stores reservations, so that it
// writes most of them with a version of the claim that is not the current one any more.
// kube-controller-manager adds the reservations of bound pods that are missing, so each
// state of the claim counts.
var reservationsAtOnceAreKept = suite.Spec{
	ID:           "reservations-at-once-are-kept",
	Description:  "When a claim is reserved for many pods at the same time, each reservation keeps those that were stored before it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-reservations-add-up"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createPodFor(ctx, e, sim, "shared", "card")
		pods.WaitForScheduled(ctx, e, "shared")
		shared := claims.Get(ctx, e, "shared")
		var names []string
		for i := range 16 {
			names = append(names, fmt.Sprintf("pod-%d", i))
			_, err := pods.Create(ctx, e, names[i], pods.Options{Change: keepToZone}, shared)
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
		}
		pods.WaitForPending(ctx, e, "no node is in their zone", names...)

		states := claims.WatchStates(ctx, e, "shared")
		sim.SetLabel(ctx, sim.Names[0], zone, "a")
		pods.WaitForScheduled(ctx, e, names...)
		expectAdded(slices.Concat([]*resourceapi.ResourceClaim{shared}, states()))
	},
}

// keepToZone makes a pod wait for a node in the zone a.
func keepToZone(pod *corev1.PodSpec) { pod.NodeSelector[zone] = "a" }

// expectAdded asserts that no state of a claim has a consumer that the state before it has
// not, and lacks one that it has. A pod that could not be bound may be removed, but not
// together with the reservation for another pod.
func expectAdded(states []*resourceapi.ResourceClaim) {
	ginkgo.GinkgoHelper()
	without := func(consumers, others []resourceapi.ResourceClaimConsumerReference) (names []string) {
		for _, c := range consumers {
			if !slices.Contains(others, c) {
				names = append(names, c.Name)
			}
		}
		return names
	}
	for i := 1; i < len(states); i++ {
		before, after := states[i-1].Status.ReservedFor, states[i].Status.ReservedFor
		if added := without(after, before); len(added) > 0 {
			gomega.Expect(without(before, after)).To(gomega.BeEmpty(), "the reservation of claim %s for pod %v should keep those for other pods", states[i].Name, added)
		}
	}
}
