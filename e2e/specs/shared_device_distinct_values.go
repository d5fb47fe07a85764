package specs

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/describe"
)

var sharedDeviceDistinctValues = suite.Spec{
	ID:       "shared-device-distinct-values",
	Sentence: "With distinctAttribute, two requests get devices with different values of the attribute, and no device without it.",
	Profile:  capacity,
	Features: sharesNeed,
	Judges:   suite.JudgesScheduler,
	Since:    "1.35", // 1.34 treats the values of two devices as distinct even if they are equal.
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5075-distinct-values",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		pool := func(name string) suite.Pool { return suite.Pool{Name: name, Node: stage.Nodes[0]} }
		stage.Publish(ctx, pool("none"), shared(nil, "plain"))
		stage.Publish(ctx, pool("first"), ofGroup("x", "x-0", "x-1"))
		e.Start(ctx, "groups", anyDevices(stage, "a", "b"), resourceapi.DeviceConstraint{DistinctAttribute: ptr.To(attributeOf(stage, "group"))})
		e.Refused(ctx, "groups", "two of the devices have the same group and the other one has none")
		stage.Publish(ctx, pool("second"), ofGroup("y", "y-0"))
		getShares(ctx, e, "groups")
	},
}

// ofGroup returns shared devices with these names and the given value of the
// attribute group.
func ofGroup(group string, names ...string) *describe.Inventory {
	inventory := shared(nil, names...)
	for _, device := range inventory.Devices {
		device.Attributes["group"] = resourceapi.DeviceAttribute{StringValue: &group}
	}
	return inventory
}
