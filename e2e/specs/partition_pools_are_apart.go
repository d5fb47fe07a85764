package specs

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

var partitionPoolsAreApart = suite.Spec{
	ID:       "partition-pools-are-apart",
	Sentence: "Counter sets with the same name in different pools are independent, on one node and on several.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Requirements: []string{
		"4815-pools-apart",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 2)
		first, second := stage.Nodes[0], stage.Nodes[1]
		in := func(name, node string) suite.Pool { return suite.Pool{Name: node + "-" + name, Node: node} }
		for _, pool := range []suite.Pool{in("a", first), in("b", first), in("a", second)} {
			inventory := a100s(pool.Name, 1)
			for _, device := range inventory.Devices {
				device.Attributes["pool"] = resourceapi.DeviceAttribute{StringValue: &pool.Name}
			}
			stage.Publish(ctx, pool, inventory)
		}
		of := func(pool suite.Pool, place string) []suite.Request {
			device := at(stage, place)
			device.Selector += subject.Selector(fmt.Sprintf(" && device.attributes[%q].pool == %q", stage.Driver, pool.Name))
			return one(device)
		}
		e.Start(ctx, "first-a", of(in("a", first), "whole"))
		e.Scheduled(ctx, "first-a")
		e.Start(ctx, "part", of(in("a", first), "1g.5gb@0"))
		e.Refused(ctx, "part", "its own pool is used up, and only others are free")
		e.Start(ctx, "first-b", of(in("b", first), "whole"))
		e.Start(ctx, "second-a", of(in("a", second), "whole"))
		e.AllScheduled(ctx, "first-b", "second-a")
		e.Start(ctx, "again", of(in("b", first), "whole"))
		e.Refused(ctx, "again", "the only device of its pool is allocated")
	},
}
