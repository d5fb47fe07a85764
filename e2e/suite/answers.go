package suite

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/calls"
)

// AnsweredAlike asserts that the kubelet asked a driver on a node to prepare a
// claim at least the given number of times. All calls must have succeeded with
// the same devices and CDI devices.
func (e *Env) AnsweredAlike(ctx context.Context, driver, node, claim string, times int) {
	ginkgo.GinkgoHelper()
	ginkgo.By("comparing what the driver answered for claim " + claim)
	got := e.Calls(ctx, driver, node, calls.Prepare, claim)
	gomega.Expect(len(got)).To(gomega.BeNumerically(">=", times), "the kubelet should ask for claim %s again: %v", claim, got)
	for _, call := range got {
		gomega.Expect(call.Succeeded()).To(gomega.BeTrue(), "the driver should prepare claim %s, also if it has done so: %v", claim, got)
		gomega.Expect(call.CDIDevices).NotTo(gomega.BeEmpty(), "containers should get something for claim %s", claim)
		gomega.Expect(call.Devices).To(gomega.Equal(got[0].Devices), "the driver should answer the same devices for claim %s each time", claim)
		gomega.Expect(call.CDIDevices).To(gomega.Equal(got[0].CDIDevices), "the driver should answer the same CDI devices for claim %s each time", claim)
	}
}
