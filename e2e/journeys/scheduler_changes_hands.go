// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

var schedulerChangesHands = suite.Spec{
	ID: "scheduler-changes-hands",
	Description: "When kube-scheduler replaces the bundled scheduler and vice versa, no device is allocated twice. " +
		"kube-scheduler ignores sharing affinity, and the bundled scheduler derives the locks from the " +
		"claims again.",
	Profile:   profile,
	Level:     suite.Core,
	Features:  []features.Feature{features.Core, features.SharedDevices, features.Partitions},
	Component: env.Scheduler,
	Kinds:     []subject.Kind{subject.KindShared},
	Needs:     []env.Need{env.NeedsSimulatedNodes, env.NeedsDriverCalls},
	Requirements: []string{
		"5981-off-ignores-field",
		"5981-on-again-keeps-allocations",
	},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: clusters.Newest().Minor, Gates: "default", Scheduler: skew.DraconformScheduler, Workers: 1},
		OfSchedulers:   true,
		Steps: func() []journey.Step {
			var n *gpuNodes
			changeScheduler := func(ctx context.Context, r *journey.Run, scheduler string) {
				r.Change(ctx, skew.Want{Scheduler: scheduler})
			}
			// expectLocks uses new pods, because the conditions of older pods
			// may come from another scheduler. On the device that claims hold
			// with both values, pods request either value: a scheduler that
			// considers the device locked to one of them reports another reason
			// for the other.
			expectLocks := func(ctx context.Context, r *journey.Run) {
				pods.CreateWithClaim(ctx, r.Env, "disagrees", n.inSubnet("lanes", "b"))
				pods.CreateWithClaim(ctx, r.Env, "b-too", n.inSubnet("slots", "b"))
				pods.WaitForEachUnschedulable(ctx, r.Env, map[string]string{
					"disagrees":    "the device is locked to another value",
					"a-1":          "claims on the device state different values",
					"b-too":        "claims on the device state different values",
					"after-silent": "a claim on the device states no value",
					"too-many":     "the four quarters of the GPU are allocated",
				})
				pods.DeleteWithClaim(ctx, r.Env, "disagrees")
				pods.DeleteWithClaim(ctx, r.Env, "b-too")
			}
			return []journey.Step{
				{Text: "the bundled scheduler locks a device to a value", Do: func(ctx context.Context, r *journey.Run) {
					n = createGPUNodes(ctx, r, 1)
					n.CreatePool(ctx, simulated.Pool{Node: n.Names[0], Name: "nics"}, loadDevices("nic"))
					createCheckedPod(ctx, r, "quarter-0", n.partition("1Gi"))
					n.createInSubnetA(ctx, r, "a-0", "slots")
					n.createInSubnetA(ctx, r, "agrees-0", "lanes")
					pods.CreateWithClaim(ctx, r.Env, "b-0", n.inSubnet("slots", "b"))
					pods.WaitForUnschedulable(ctx, r.Env, "b-0", "the device is locked to another value")
				}},
				{Text: "kube-scheduler replaces it while pods are created: they are allocated free devices, claims with different values share the device, and only a driver rejects them", Do: func(ctx context.Context, r *journey.Run) {
					createPods(ctx, r, n, "before", 3)
					changeScheduler(ctx, r, skew.KubeScheduler)
					pods.WaitForScheduled(ctx, r.Env, "before-0", "before-1", "before-2")
					r.CheckAfterEachStep(ctx, "before-0", "before-1", "before-2")
					pods.WaitForScheduled(ctx, r.Env, "b-0")
					r.CheckAfterEachStep(ctx, "b-0")
					n.createInSubnetA(ctx, r, "agrees-1", "lanes")
					createCheckedPod(ctx, r, "silent-0", n.deviceWith("ports", "4"))
					pods.CreateWithRequests(ctx, r.Env, "too-many", n.partition("1Gi"))
					pods.WaitForUnschedulable(ctx, r.Env, "too-many", "the four quarters of the GPU are allocated")
					expectSpecPasses(ctx, r, "affinity-driver-is-backstop")
				}},
				{Text: "the bundled scheduler replaces it: a device is locked if all of its claims have the same value, and unknown otherwise", Do: func(ctx context.Context, r *journey.Run) {
					changeScheduler(ctx, r, skew.DraconformScheduler)
					n.createInSubnetA(ctx, r, "agrees-2", "lanes")
					pods.CreateWithClaim(ctx, r.Env, "a-1", n.inSubnet("slots", "a"))
					pods.CreateWithClaim(ctx, r.Env, "after-silent", n.inSubnet("ports", "a"))
					expectLocks(ctx, r)
				}},
				{Text: "the bundled scheduler is killed, and derives the same locks again", Do: func(ctx context.Context, r *journey.Run) {
					r.Kill(ctx, skew.Scheduler)
					expectLocks(ctx, r)
					n.createInSubnetA(ctx, r, "agrees-3", "lanes")
				}},
				{Text: "the claims on the unknown devices are deleted one after the other: the devices are then locked to the value of the next claim", Do: func(ctx context.Context, r *journey.Run) {
					r.StopChecking("b-0", "silent-0")
					r.Kill(ctx, skew.ControllerManager)
					pods.DeleteWithClaim(ctx, r.Env, "b-0")
					pods.DeleteWithClaim(ctx, r.Env, "silent-0")
					pods.WaitForScheduled(ctx, r.Env, "after-silent")
					pods.CreateWithClaim(ctx, r.Env, "a-2", n.inSubnet("slots", "a"))
					pods.WaitForAllUnschedulable(ctx, r.Env, "a claim from the time when the value of the device was unknown is still allocated", "a-1", "a-2")
					r.StopChecking("a-0")
					pods.DeleteWithClaim(ctx, r.Env, "a-0")
					pods.WaitForScheduled(ctx, r.Env, "a-1", "a-2")
					r.CheckAfterEachStep(ctx, "a-1", "a-2")
					pods.CreateWithClaim(ctx, r.Env, "b-1", n.inSubnet("slots", "b"))
					pods.WaitForUnschedulable(ctx, r.Env, "b-1", "the device is locked to another value")
				}},
			}
		},
	},
}

// expectSpecPasses runs one spec during a journey.
func expectSpecPasses(ctx context.Context, r *journey.Run, spec string) {
	selected, err := suite.Selection{IDs: []string{spec}}.Select(specs.All())
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(suite.ExpectSpecsPass(ctx, r, selected)).To(gomega.Equal(1), "spec %s should be able to run in the cluster", spec)
}

// createInSubnetA creates a pod with a share of a device of nic.yaml in subnet
// a, and checks it after each step.
func (n *gpuNodes) createInSubnetA(ctx context.Context, r *journey.Run, name, capacity string) {
	ginkgo.GinkgoHelper()
	pods.CreateWithClaim(ctx, r.Env, name, n.inSubnet(capacity, "a"))
	pods.WaitForScheduled(ctx, r.Env, name)
	r.CheckAfterEachStep(ctx, name)
}

// createPods creates pods that request quarters of GPUs and does not wait for
// them.
func createPods(ctx context.Context, r *journey.Run, n *gpuNodes, name string, podCount int) {
	for i := range podCount {
		pods.CreateWithRequests(ctx, r.Env, fmt.Sprintf("%s-%d", name, i), n.partition("1Gi"))
	}
}
