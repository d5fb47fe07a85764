package journeys

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/kind"
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
	Features:  []features.Feature{features.Core, features.SharedDevices},
	Component: env.Cluster,
	Kinds:     []subject.Kind{subject.KindShared},
	Needs:     []env.Need{env.NeedsSimulatedNodes},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: clusters.Newest().Minor, Gates: "default", Scheduler: kind.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			var c *cards
			return []journey.Step{
				{Text: "pods share devices", Do: func(ctx context.Context, r *journey.Run) {
					r.CreateCheckedPod(ctx, "nic-0", r.Subject.Shared.Share)
					r.CreateCheckedPod(ctx, "nic-1", r.Subject.Shared.Share)
					c = newPlain(ctx, r, 1)
					c.CreatePool(ctx, simulated.Pool{Node: c.Names[0], Name: "ports"}, described("port"))
					for _, name := range []string{"share-0", "share-1"} {
						kept(ctx, r, name, c.with("slots", "4"))
					}
				}},
				{Text: "the gate is off: what is shared gives nothing more, other devices are allocated", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "DRAConsumableCapacity=false", knowing...)
					pods.CreateWithRequests(ctx, r.Env, "share-2", c.with("slots", "4"))
					kept(ctx, r, "plain", c.plain())
					pods.WaitForPending(ctx, r.Env, "the device is in use", "share-2")
				}},
				{Text: "the gate is on: what waited is allocated what is left, and no more", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "default", knowing...)
					pods.WaitForScheduled(ctx, r.Env, "share-2")
					r.CheckAfterEachStep(ctx, "share-2")
					kept(ctx, r, "share-3", c.with("slots", "4"))
					pods.CreateWithRequests(ctx, r.Env, "too-many", c.with("slots", "4"))
					pods.WaitForUnschedulable(ctx, r.Env, "too-many", "all four slots are taken")
				}},
				// A kube-scheduler without the gate would treat the device as
				// free after the first share is released, so shares are released
				// before.
				{Text: "the gate is off for the scheduler only: slots that are free are not allocated, and it says why", Do: func(ctx context.Context, r *journey.Run) {
					r.StopChecking("share-2", "share-3")
					for _, name := range []string{"too-many", "share-2", "share-3"} {
						pods.DeleteWithClaim(ctx, r.Env, name)
					}
					r.SetGates(ctx, "DRAConsumableCapacity=false", scheduler...)
					pods.CreateWithRequests(ctx, r.Env, "share-4", c.with("slots", "4"))
					pods.CreateWithRequests(ctx, r.Env, "slot", c.slot())
					said := pods.WaitForPending(ctx, r.Env, "the scheduler does not know shares", "slot")
					gomega.Expect(said).To(gomega.ContainSubstring("DRAConsumableCapacity"), "the scheduler should say what it does not know")
					pods.WaitForPending(ctx, r.Env, "the device is in use", "share-4")
				}},
				{Text: "the gate is on again: the slots are allocated", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "default", scheduler...)
					pods.WaitForScheduled(ctx, r.Env, "slot", "share-4")
				}},
				{Text: "the gate is off for the API server only: a device that is published now is given once", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "DRAConsumableCapacity=false", apiServer...)
					c.CreatePool(ctx, simulated.Pool{Node: c.Names[0], Name: "late-ports"}, described("port"))
					scheduled(ctx, r, "once", c.with("slots", "4"))
					pods.CreateWithRequests(ctx, r.Env, "twice", c.with("slots", "4"))
					pods.WaitForUnschedulable(ctx, r.Env, "twice", "the API server has not stored that the device can be shared")
				}},
				{Text: "the gate is on again: what was given once is not given again before it is free", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "default", apiServer...)
					pods.CreateWithRequests(ctx, r.Env, "thrice", c.with("slots", "4"))
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
func (c *cards) slot() []devices.Request {
	requests := c.with("slots", "4")
	requests[0].Device.Capacity = map[resourceapi.QualifiedName]resource.Quantity{"slots": resource.MustParse("1")}
	return requests
}
