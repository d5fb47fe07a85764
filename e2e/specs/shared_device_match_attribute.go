package specs

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite"
)

var sharedDeviceMatchAttribute = suite.Spec{
	ID:       "shared-device-match-attribute",
	Sentence: "Shares of one device satisfy matchAttribute. A claim that needs two shares is unschedulable if each device has one left.",
	Profile:  capacity,
	Features: sharesNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5075-match-attribute",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, described("nics.yaml"))
		pair := anyDevices(stage, "a", "b")
		same := resourceapi.DeviceConstraint{MatchAttribute: ptr.To(attributeOf(stage, "name"))}

		e.Start(ctx, "pair", pair, same)
		for _, share := range getShares(ctx, e, "pair") {
			gomega.Expect(share.Device).To(gomega.Equal("two"), "the device that has two slots")
		}
		e.Removed(ctx, "pair")

		e.Start(ctx, "single", called(stage, "two"))
		e.Scheduled(ctx, "single")
		e.Start(ctx, "late", pair, same)
		e.Refused(ctx, "late", "each device has one slot left, and its requests must get shares of the same device")
	},
}
