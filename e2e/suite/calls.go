package suite

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/calls"
)

// ClaimCall is what a call did to a claim.
type ClaimCall struct {
	UID string
	// Devices are those that were prepared, and CDIDevices what containers get for
	// them.
	Devices, CDIDevices []string
	// Error is why the call failed, or its part for the claim.
	Error string
	// Ended is false as long as the driver has not answered.
	Ended bool
}

// Succeeded says that the driver did what the call asks for.
func (c ClaimCall) Succeeded() bool { return c.Ended && c.Error == "" }

// Calls are those calls of a method that a driver got on a node for a claim of
// the spec, and what became of the claim.
func (e *Env) Calls(ctx context.Context, driver, node, method, claim string) (got []ClaimCall) {
	ginkgo.GinkgoHelper()
	e.answers(ctx, driver, node, func(ctx context.Context) (err error) {
		got, err = e.calls(ctx, driver, node, method, claim)
		return err
	})
	return got
}

// Called waits until the kubelet of a node has called a driver for a claim.
func (e *Env) Called(ctx context.Context, driver, node, method, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until %s is called for claim %s", method, claim))
	nudger := e.nudger()
	gomega.Eventually(ctx, func(ctx context.Context) ([]ClaimCall, error) {
		nudger.nudgeUsers(ctx, claim)
		return e.calls(ctx, driver, node, method, claim)
	}).WithTimeout(e.Timeouts.Run).ShouldNot(gomega.BeEmpty(), "the kubelet should call %s for claim %s", method, claim)
}

// calls asks once.
func (e *Env) calls(ctx context.Context, driver, node, method, claim string) (got []ClaimCall, err error) {
	var all []calls.Call
	err = e.ask(ctx, answerTimeout, driver, node, func(ctx context.Context, pod Driver) (err error) {
		all, err = pod.Calls(ctx, driver, 0)
		return err
	})
	for _, call := range all {
		for _, about := range call.Claims {
			if call.Method != method || about.Namespace != e.Namespace || about.Name != claim {
				continue
			}
			failed := call.Error
			if failed == "" {
				failed = about.Error
			}
			got = append(got, ClaimCall{UID: about.UID, Devices: about.Devices, CDIDevices: about.CDIDevices, Error: failed, Ended: call.End != nil})
		}
	}
	return got, err
}
