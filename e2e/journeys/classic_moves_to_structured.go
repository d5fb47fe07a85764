// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicMovesToStructured moves a workload from claims that a driver allocates to claims
// that the scheduler allocates, one node after the other, and then upgrades the cluster to a
// release that has no others. The devices are the same, so each of them has one claim at any
// time, of either sort. It asserts that after each step, as all journeys do.
var classicMovesToStructured = suite.Spec{
	ID: "classic-moves-to-structured",
	Description: "The devices of a classic driver are handed over to the scheduler node by node, while others are in use, and no device is " +
		"given twice. The pods keep them while the cluster is upgraded from Kubernetes 1.31 to 1.34.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.ControlPlaneController},
	Component:    env.Cluster,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver, env.NeedsSimulatedNodes},
	Requirements: []string{"3063-moves-to-structured", "3063-mixes-with-structured"},
	Journey: &journey.Journey{
		OfSchedulers:   true,
		InitialCluster: classicCluster,
		Steps: func() []journey.Step {
			m := &movedPods{}
			return []journey.Step{
				{Text: "the driver allocates all devices of two nodes to pods", Do: m.start},
				{Text: "the devices of the first node are handed over to the scheduler, while pods use those of the second", Do: func(ctx context.Context, r *journey.Run) {
					m.handOver(ctx, r, 0)
					m.expectLeft(ctx, r, 0)
				}},
				{Text: "the devices of the second node are handed over, and the driver is removed", Do: func(ctx context.Context, r *journey.Run) {
					m.handOver(ctx, r, 1)
					m.ExpectNoContexts(ctx, "no pod uses claims of drivers any more")
					gomega.Expect(r.Classic.Scale(ctx, 0)).To(gomega.Succeed())
				}},
				{Text: "the cluster is upgraded to 1.32, and its objects are stored in the version of this release", Do: func(ctx context.Context, r *journey.Run) {
					r.Deleted("DeviceClass", m.Class) // 1.32 has no suitableNodes.
					upgradeWithoutDRA(ctx, r, "1.32")
					m.UseVersion(versionOf132)
					m.StoreAgain(ctx)
				}},
				{Text: "the cluster is upgraded to 1.33", Do: func(ctx context.Context, r *journey.Run) { r.Upgrade(ctx, "1.33") }},
				{Text: "the cluster is upgraded to 1.34: a pod is replaced, and the other one gets its device", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, gatesByDefault)
					r.Upgrade(ctx, "1.34")
					m.UseVersion("v1")
					m.replace(ctx, r)
				}},
			}
		},
	},
}

// movedPods are pods on two simulated nodes, each with a claim of the same name.
type movedPods struct {
	*classic.Driven

	// structured is the class of claims that the scheduler allocates. It is created when the
	// first devices are handed over.
	structured string
}

// podsOf returns the names of the pods of a node, one for each of its devices.
func (m *movedPods) podsOf(sort string, node int) []string {
	return m.Names(fmt.Sprintf("%s-%d", sort, node), m.DevicesPerNode())
}

func (m *movedPods) start(ctx context.Context, r *journey.Run) {
	m.Driven = classic.UseDriver(ctx, r.Env, 2)
	for i, node := range m.Nodes {
		names := m.podsOf("classic", i)
		m.CreateClaims(ctx, names...)
		for _, name := range names {
			m.CreatePodOn(ctx, name, node, name)
			m.WaitForBound(ctx, name, "there is a device for each pod")
			m.WaitForClaim(ctx, name, "the driver has allocated the claim", m.AllocatedOn(node))
		}
		r.CheckAfterEachStep(ctx, names...)
	}
}

// handOver removes the pods of a node, whose claims the driver deallocates, keeps the driver
// off the node, and publishes its devices for the scheduler, which allocates them to others.
func (m *movedPods) handOver(ctx context.Context, r *journey.Run, number int) {
	node, before, after := m.Nodes[number], m.podsOf("classic", number), m.podsOf("structured", number)
	r.StopChecking(before...)
	pods.Delete(ctx, r.Env, before...)
	m.DeleteUnusedClaims(ctx, before...)
	if m.structured == "" {
		r.Deleted("DeviceClass", m.Class) // It changes.
		m.SetSuitableNodes(ctx, m.Class, map[string]string{corev1.LabelHostname: m.Nodes[1]})
		m.structured = m.CreateStructuredClass(ctx)
	}
	m.PublishOwn(ctx, node)
	for _, name := range after {
		m.CreateClaim(ctx, name, "", m.structured)
		m.CreatePodOn(ctx, name, node, name)
		gomega.Expect(m.WaitForBound(ctx, name, "the scheduler has a device for each pod")).To(gomega.Equal(node))
	}
	r.CheckAfterEachStep(ctx, after...)
}

// expectLeft asserts that a pod with a claim of the driver does not get a device that was
// handed over, nor one that is in use. It is deleted then.
func (m *movedPods) expectLeft(ctx context.Context, r *journey.Run, number int) {
	m.CreateClaims(ctx, "left")
	m.CreatePodOn(ctx, "left", m.Nodes[number], "left")
	m.ExpectNotBound(ctx, "left", "its class excludes the node whose devices were handed over")
	m.ExpectClaimStays(ctx, "left", "no node suits its pod", classic.Pending)
	pods.Delete(ctx, r.Env, "left")
	m.DeleteClaim(ctx, "left")
	m.WaitForClaimRemoved(ctx, "left", "it was never allocated")
}

// replace deletes a pod. Another one uses its claim, and gets the only free device.
func (m *movedPods) replace(ctx context.Context, r *journey.Run) {
	former := m.podsOf("structured", 0)[0]
	r.StopChecking(former)
	claim, err := m.GetClaim(ctx, former)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	r.Deleted("ResourceClaim", former) // It is allocated anew.
	pods.Delete(ctx, r.Env, former)
	m.WaitForClaim(ctx, former, "the scheduler's allocation should end with the last pod", classic.Pending)
	m.CreatePodOn(ctx, "again", m.Nodes[0], former)
	gomega.Expect(m.WaitForBound(ctx, "again", "its device is free")).To(gomega.Equal(m.Nodes[0]))
	m.WaitForClaim(ctx, former, "the only free device should be given to the pod", func(now classic.Claim) error {
		return classic.SameDevices(claim, now)
	})
	r.CheckAfterEachStep(ctx, "again")
}
