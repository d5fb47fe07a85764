package specs

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListSelectsByAlternative = suite.Spec{
	ID:       "prioritized-list-selects-by-alternative",
	Sentence: "A subrequest gets a device that matches its own DeviceClass and all of its own selectors.",
	Profile:  prioritizedList,
	Features: listsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"4816-selectors-of-an-alternative",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, offers("slow-x", "fast-y", "slow-y"))
		name := fmt.Sprintf("device.attributes[%q].name", stage.Driver)
		fast := stage.SubClass(ctx, "fast", name+`.startsWith("fast")`)
		alternative := func(name, class string, selectors ...string) resourceapi.DeviceSubRequest {
			a := resourceapi.DeviceSubRequest{Name: name, DeviceClassName: class}
			for _, s := range selectors {
				a.Selectors = append(a.Selectors, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: s}})
			}
			return a
		}
		e.StartClaim(ctx, "list", resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{
			Name: "list",
			FirstAvailable: []resourceapi.DeviceSubRequest{
				// The class and the selector each match one device, but not the
				// same one.
				alternative("fast-x", fast.Class, name+`.endsWith("-x")`),
				// Each selector also matches a device that the other one does
				// not.
				alternative("slow-y", stage.Class, name+`.startsWith("slow")`, name+`.endsWith("-y")`),
			},
		}}})
		isScheduledFor(ctx, e, "list", "no device is both of the class fast and called -x", "list/slow-y")
		gomega.Expect(e.Allocation(ctx, "list").Results[0].Device).To(gomega.Equal("slow-y"), "the device that both selectors accept")

		// The class alone matches a device.
		e.Start(ctx, "fast", []suite.Request{list("list", suite.Alternative{Name: "fast", Device: fast})})
		isScheduledFor(ctx, e, "fast", "its class has a device", "list/fast")
		gomega.Expect(e.Allocation(ctx, "fast").Results[0].Device).To(gomega.Equal("fast-y"), "the only device of the class")
	},
}
