package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var absentDriverKeepsDevicesHeld = suite.Spec{
	ID:           "absent-driver-keeps-devices-held",
	Sentence:     "A pod that ends while its driver is not on its node stays, and its devices stay allocated, until the driver is back and has unprepared them.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesDriver,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-unprepared-before-pod-is-gone", "4381-driver-found-again"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		whole := use.whole(ctx, e, e.Runs(ctx, use.start(ctx, e, "before"))[0])
		absent := e.StopDriver(ctx, use.device.Driver, use.node)
		e.Delete(ctx, "before-0", false)
		e.StaysHeld(ctx, "before-0", "before", "its driver is not there to give them back")
		absent.Returns(ctx)

		e.Gone(ctx, "before-0")
		e.Prepared(ctx, use.device.Driver, use.node, "before", false)
		got := e.Calls(ctx, use.device.Driver, use.node, calls.Unprepare, "before")
		gomega.Expect(got).NotTo(gomega.BeEmpty(), "the kubelet should have claim before given back as soon as the driver is there")
		e.Runs(ctx, whole.start(ctx, e, "whole"))
	},
}
