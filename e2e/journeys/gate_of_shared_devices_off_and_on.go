// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

var gateOfSharedDevicesOffAndOn = suite.Spec{
	ID: "gate-of-shared-devices-off-and-on",
	Description: "While the gate DRAConsumableCapacity is disabled, pods that share a device keep running. When it " +
		"is enabled again, the remaining capacity is allocated, and no more.",
	Profile:   profile,
	Level:     suite.Core,
	Features:  []features.Feature{features.Core, features.SharedDevices},
	Component: env.Cluster,
	Kinds:     []subject.Kind{subject.KindShared},
	Needs:     []env.Need{env.NeedsSimulatedNodes},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: clusters.Newest().Minor, Gates: "default", Scheduler: skew.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			var n *gpuNodes
			return []journey.Step{
				{Text: "pods share devices", Do: func(ctx context.Context, r *journey.Run) {
					for i := range podsToRestart {
						r.CreateCheckedPod(ctx, fmt.Sprintf("nic-%d", i), r.Subject.Shared.Share)
					}
					n = createPlainNodes(ctx, r, 1)
					n.CreatePool(ctx, simulated.Pool{Node: n.Names[0], Name: "ports"}, loadDevices("port"))
					for _, name := range []string{"share-0", "share-1"} {
						createCheckedPod(ctx, r, name, n.deviceWith("slots", "4"))
					}
				}},
				{Text: "the gate is disabled: shared devices are not allocated, other devices are", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "DRAConsumableCapacity=false", deviceGateComponents...)
					pods.CreateWithRequests(ctx, r.Env, "share-2", n.deviceWith("slots", "4"))
					createCheckedPod(ctx, r, "plain", n.plain())
					pods.WaitForPending(ctx, r.Env, "the device is in use", "share-2")
				}},
				{Text: "the gate is enabled: pending claims are allocated the remaining shares, and no more", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "default", deviceGateComponents...)
					pods.WaitForScheduled(ctx, r.Env, "share-2")
					r.CheckAfterEachStep(ctx, "share-2")
					createCheckedPod(ctx, r, "share-3", n.deviceWith("slots", "4"))
					pods.CreateWithRequests(ctx, r.Env, "too-many", n.deviceWith("slots", "4"))
					pods.WaitForUnschedulable(ctx, r.Env, "too-many", "all four slots are allocated")
				}},
				// A kube-scheduler without the gate would treat the device as
				// free after the first share is released, so shares are
				// released before.
				{Text: "the gate is disabled for the scheduler only: free slots are not allocated", Do: func(ctx context.Context, r *journey.Run) {
					r.StopChecking("share-2", "share-3")
					for _, name := range []string{"too-many", "share-2", "share-3"} {
						pods.DeleteWithClaim(ctx, r.Env, name)
					}
					r.SetGates(ctx, "DRAConsumableCapacity=false", scheduler...)
					pods.CreateWithRequests(ctx, r.Env, "share-4", n.deviceWith("slots", "4"))
					pods.CreateWithRequests(ctx, r.Env, "slot", n.slot())
					pods.WaitForPending(ctx, r.Env, "the scheduler does not support shares", "slot")
					pods.WaitForPending(ctx, r.Env, "the device is in use", "share-4")
				}},
				{Text: "the gate is enabled again: the slots are allocated", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "default", scheduler...)
					pods.WaitForScheduled(ctx, r.Env, "slot", "share-4")
				}},
				{Text: "the gate is disabled for the API server only: a device that is published now is allocated once", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "DRAConsumableCapacity=false", apiServer...)
					n.CreatePool(ctx, simulated.Pool{Node: n.Names[0], Name: "late-ports"}, loadDevices("port"))
					createScheduledPod(ctx, r, "once", n.deviceWith("slots", "4"))
					pods.CreateWithRequests(ctx, r.Env, "twice", n.deviceWith("slots", "4"))
					pods.WaitForUnschedulable(ctx, r.Env, "twice", "the API server has not stored that the device can be shared")
				}},
				{Text: "the gate is enabled again: the allocated device is not allocated again before it is deallocated", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "default", apiServer...)
					pods.CreateWithRequests(ctx, r.Env, "thrice", n.deviceWith("slots", "4"))
					pods.WaitForAllUnschedulable(ctx, r.Env, "the device is in use", "twice", "thrice")
					pods.DeleteWithClaim(ctx, r.Env, "thrice")
					pods.DeleteWithClaim(ctx, r.Env, "once")
					pods.WaitForScheduled(ctx, r.Env, "twice")
				}},
			}
		},
	},
}

// slot requests one slot of the device of port.yaml with a capacity request,
// which needs the gate.
func (n *gpuNodes) slot() []devices.Request {
	requests := n.deviceWith("slots", "4")
	requests[0].Device.Capacity = map[resourceapi.QualifiedName]resource.Quantity{"slots": resource.MustParse("1")}
	return requests
}
