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
)

var gateOfSharedDevicesOffAndOn = suite.Spec{
	ID: "gate-of-shared-devices-off-and-on",
	Sentence: "While the gate DRAConsumableCapacity is disabled, pods that share a device keep running. When it " +
		"is enabled again, the remaining capacity is allocated, and no more.",
	Profile:  profile,
	Features: []features.Feature{features.Core, features.SharedDevices},
	Judges:   suite.JudgesCluster,
	Kinds:    []subject.Kind{subject.KindShared},
	Needs:    []suite.Need{suite.NeedsStage},
	Journey: &suite.Journey{
		Start: suite.Start{Release: clusters.Newest().Minor, Gates: "default", Scheduler: kind.KubeScheduler, Workers: 1},
		Stops: func() []suite.Stop {
			var c *cards
			return []suite.Stop{
				{Text: "pods share devices", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.Traveller(ctx, "nic-0", r.Subject.Shared.Share)
					r.Traveller(ctx, "nic-1", r.Subject.Shared.Share)
					c = newPlain(ctx, r, 1)
					c.Publish(ctx, suite.Pool{Node: c.Nodes[0], Name: "ports"}, described("port"))
					for _, name := range []string{"share-0", "share-1"} {
						kept(ctx, r, name, c.with("slots", "4"))
					}
				}},
				{Text: "the gate is off: what is shared gives nothing more, other devices are allocated", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.SetGates(ctx, "DRAConsumableCapacity=false", knowing...)
					r.Start(ctx, "share-2", c.with("slots", "4"))
					kept(ctx, r, "plain", c.plain())
					r.StayPending(ctx, "the device is in use", "share-2")
				}},
				{Text: "the gate is on: what waited is allocated what is left, and no more", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.SetGates(ctx, "default", knowing...)
					r.Scheduled(ctx, "share-2")
					r.Keep(ctx, "share-2")
					kept(ctx, r, "share-3", c.with("slots", "4"))
					r.Start(ctx, "too-many", c.with("slots", "4"))
					r.Refused(ctx, "too-many", "all four slots are taken")
				}},
				// A kube-scheduler without the gate would treat the device as
				// free after the first share is released, so shares are released
				// before.
				{Text: "the gate is off for the scheduler only: slots that are free are not allocated, and it says why", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.LetGo("share-2", "share-3")
					for _, name := range []string{"too-many", "share-2", "share-3"} {
						r.Removed(ctx, name)
					}
					r.SetGates(ctx, "DRAConsumableCapacity=false", scheduler...)
					r.Start(ctx, "share-4", c.with("slots", "4"))
					r.Start(ctx, "slot", c.slot())
					said := r.StayPending(ctx, "the scheduler does not know shares", "slot")
					gomega.Expect(said).To(gomega.ContainSubstring("DRAConsumableCapacity"), "the scheduler should say what it does not know")
					r.StayPending(ctx, "the device is in use", "share-4")
				}},
				{Text: "the gate is on again: the slots are allocated", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.SetGates(ctx, "default", scheduler...)
					r.AllScheduled(ctx, "slot", "share-4")
				}},
				{Text: "the gate is off for the API server only: a device that is published now is given once", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.SetGates(ctx, "DRAConsumableCapacity=false", apiServer...)
					c.Publish(ctx, suite.Pool{Node: c.Nodes[0], Name: "late-ports"}, described("port"))
					scheduled(ctx, r, "once", c.with("slots", "4"))
					r.Start(ctx, "twice", c.with("slots", "4"))
					r.Refused(ctx, "twice", "the API server has not stored that the device can be shared")
				}},
				{Text: "the gate is on again: what was given once is not given again before it is free", Do: func(ctx context.Context, r *suite.JourneyRun) {
					r.SetGates(ctx, "default", apiServer...)
					r.Start(ctx, "thrice", c.with("slots", "4"))
					r.AllRefused(ctx, "the device is in use", "twice", "thrice")
					r.Removed(ctx, "thrice")
					r.Removed(ctx, "once")
					r.Scheduled(ctx, "twice")
				}},
			}
		},
	},
}

// slot requests one slot of the device of port.yaml with a capacity request,
// which needs the gate.
func (c *cards) slot() []suite.Request {
	requests := c.with("slots", "4")
	requests[0].Device.Capacity = map[resourceapi.QualifiedName]resource.Quantity{"slots": resource.MustParse("1")}
	return requests
}
