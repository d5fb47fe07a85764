package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/fakedriver/calls"
)

// The needs of specs that use a device exclusively. The kind of the device does
// not matter.
var (
	contractFeatures = []features.Feature{features.Core}
	contractKinds    = []subject.Kind{subject.KindExclusive}
	contractNeeds    = []env.Need{env.NeedsDrivers}
)

// use is a device on a node whose driver a spec controls.
type use struct {
	device subject.Device
	node   string
}

// useOnNode returns a device on a node that offers some.
func useOnNode(ctx context.Context, e *env.Env) use {
	ginkgo.GinkgoHelper()
	device := e.Subject.Exclusive.Device
	return use{device, devices.WaitForNodeWithDevices(ctx, e, device.Driver)}
}

// start starts a pod on the node that uses such a device. It returns the name
// of the pod.
func (u use) start(ctx context.Context, e *env.Env, claim string) string {
	ginkgo.GinkgoHelper()
	return pods.CreateSharingClaim(ctx, e, claim, u.device, 1, pods.Options{Node: u.node})[0]
}

// whole returns the use of the parent device of a device on this node, or of
// the device itself if it has no parent.
func (u use) whole(ctx context.Context, e *env.Env, device audit.DeviceID) use {
	ginkgo.GinkgoHelper()
	exclusive := e.Subject.Exclusive
	return use{exclusive.OfParent(exclusive.Whole, devices.GetParent(ctx, e, exclusive.Parents, device)), u.node}
}

// failures returns a fault for each way in which a driver can report to the
// kubelet that a call failed. Each happens once.
func failures(method string) []calls.Fault {
	return []calls.Fault{
		{Method: method, Action: calls.Fail, Count: 1, Message: "the spec wants this call to fail"},
		{Method: method, Action: calls.FailClaims, Count: 1, Message: "the spec wants this claim to fail"},
		{Method: method, Action: calls.OmitClaims, Count: 1, Message: "the spec wants this claim to be left out"},
	}
}

// failing has one claim name for each of the failures.
var failing = []string{"one", "two", "three"}

// disturb injects all failures into the next calls of a method.
func (u use) disturb(ctx context.Context, e *env.Env, method string) {
	ginkgo.GinkgoHelper()
	for _, fault := range failures(method) {
		drivers.InjectFault(ctx, e, u.device.Driver, u.node, fault)
	}
}

// failedAndDone asserts that the calls for the claims failed in all ways, and
// that the driver succeeded afterwards.
func (u use) failedAndDone(ctx context.Context, e *env.Env, method string) {
	ginkgo.GinkgoHelper()
	var failed []string
	for _, claim := range failing {
		got := drivers.GetCalls(ctx, e, u.device.Driver, u.node, method, claim)
		gomega.Expect(got).NotTo(gomega.BeEmpty(), "the kubelet should call %s for claim %s", method, claim)
		gomega.Expect(got[len(got)-1].Succeeded()).To(gomega.BeTrue(), "the last call should have done it for claim %s: %v", claim, got)
		for _, call := range got {
			failed = append(failed, call.Error)
		}
	}
	for _, fault := range failures(method) {
		gomega.Expect(failed).To(gomega.ContainElement(gomega.ContainSubstring(fault.Message)), "one of the first calls should be the one that failed")
	}
}
