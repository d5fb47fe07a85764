// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// multiHostOwnClaimsKeepPodsApart publishes two devices of two nodes each, and
// one device on each node. Three pods share a claim for the former, and each
// has its own claim for one of the latter.
var multiHostOwnClaimsKeepPodsApart = suite.Spec{
	ID:           "multi-host-own-claims-keep-pods-apart",
	Description:  "Pods that share a device of two nodes, and each have a claim for a device that every node has once, run on different nodes. A third pod is pending although other nodes are free.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     multiHostFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-own-claims-keep-pods-apart"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 4)
		pairs := fixture.Devices("pair", "pair")
		for i := range pairs.Devices {
			pairs.Devices[i].Name = fmt.Sprintf("pair-%d", i)
			pairs.Devices[i].NodeSelector = nodeSelector(corev1.LabelHostname, sim.Names[2*i], sim.Names[2*i+1])
		}
		sim.CreatePool(ctx, simulated.Pool{Name: "pairs"}, pairs)
		for _, node := range sim.Names {
			sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("seat"))
		}
		_, err := claims.Create(ctx, e, "pair", devices.NewDeviceClaim(fixture.RequestFor(sim, "pair")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())

		for _, pod := range []string{"first", "second", "third"} {
			_, err := claims.Create(ctx, e, "seat-of-"+pod, devices.NewDeviceClaim(fixture.RequestFor(sim, "seat")))
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
			pods.CreateUsingClaims(ctx, e, pod, pods.Options{}, "pair", "seat-of-"+pod)
			if pod != "third" {
				pods.WaitForScheduled(ctx, e, pod)
			}
		}
		got := []string{pods.GetNode(ctx, e, "first"), pods.GetNode(ctx, e, "second")}
		gomega.Expect(got).To(gomega.ConsistOf(claims.GetNodesOfAllocation(ctx, e, "pair", sim.Names)), "each node of the pair has one of the pods")
		pods.WaitForUnschedulable(ctx, e, "third", "the seats of the pair's nodes are taken, and the other nodes are not of the pair")
	},
}
