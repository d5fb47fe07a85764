package suite

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/control"
)

// Demand makes a driver reject different affinity values for keys on the same
// device. It applies to all devices of the driver on a node until the spec
// ends. The ResourceSlices declare the keys to the scheduler only if declared
// is set.
func (e *Env) Demand(ctx context.Context, driver, node string, keys []string, declared bool) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("letting driver %s on node %s keep claims apart by %v", driver, node, keys))
	before := e.statusOf(ctx, driver, node).Published
	published := before
	published.Affinity = map[string]affinity.Rule{}
	all, err := e.slicesOf(ctx, driver)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	for _, slice := range all {
		if slice.Spec.NodeName == nil || *slice.Spec.NodeName != node {
			continue
		}
		for _, device := range slice.Spec.Devices {
			published.Affinity[device.Name] = affinity.Rule{Declaration: affinity.Declaration{AttributeKeys: keys}, Declared: declared}
		}
	}
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		e.publishAt(ctx, driver, node, before)
	}, ginkgo.NodeTimeout(e.Timeouts.Gone))
	e.publishAt(ctx, driver, node, published)
}

func (e *Env) publishAt(ctx context.Context, driver, node string, published control.Published) {
	ginkgo.GinkgoHelper()
	e.steer(ctx, driver, node, func(ctx context.Context, pod Driver) error {
		_, err := pod.Publish(ctx, driver, published)
		return err
	})
}

// StartConfigured creates a claim for one device with configuration, and a pod
// of the same name that uses it. An empty node allows all nodes.
func (e *Env) StartConfigured(ctx context.Context, name, node string, device subject.Device, config ...resourceapi.DeviceConfiguration) {
	ginkgo.GinkgoHelper()
	devices := Devices([]Request{{Name: "device", Device: device}})
	for _, c := range config {
		devices.Config = append(devices.Config, resourceapi.DeviceClaimConfiguration{DeviceConfiguration: c})
	}
	e.StartClaimOn(ctx, name, node, devices)
}

// RefusedByDriver waits until a driver has failed to prepare the claim of a pod
// of the same name. It asserts that the error contains all strings of because,
// that a warning event contains the error, and that the pod is not started.
func (e *Env) RefusedByDriver(ctx context.Context, name, driver, node string, because []string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until driver %s refuses claim %s", driver, name))
	var refused string
	nudger := e.nudger()
	gomega.Eventually(ctx, func(ctx context.Context) error {
		nudger.nudgeUsers(ctx, name)
		got, err := e.calls(ctx, driver, node, calls.Prepare, name)
		if err != nil {
			return err
		}
		for _, call := range got {
			switch {
			case call.Succeeded():
				return gomega.StopTrying(fmt.Sprintf("the driver prepared claim %s", name))
			case call.Ended:
				refused = call.Error
				return nil
			}
		}
		return fmt.Errorf("the driver has not answered for claim %s", name)
	}).WithTimeout(e.Timeouts.Run).Should(gomega.Succeed(), "driver %s should refuse claim %s, because of %v", driver, name, because)
	for _, word := range because {
		gomega.Expect(refused).To(gomega.ContainSubstring(word), "the driver should say why it refuses claim %s", name)
	}
	e.Waits(ctx, name, refused)
}

// Identity returns the value of the attribute that identifies the shared device
// of a claim.
func (e *Env) Identity(ctx context.Context, claim string) string {
	ginkgo.GinkgoHelper()
	inventory, err := e.Inventory(ctx)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	devices := e.DevicesOf(ctx, claim, "device")
	gomega.Expect(devices).To(gomega.HaveLen(1), "claim %s asks for one device", claim)
	identity, ok := inventory.Attribute(devices[0], e.Subject.Shared.Identity)
	gomega.Expect(ok).To(gomega.BeTrue(), "device %s should have the string attribute %s", devices[0], e.Subject.Shared.Identity)
	return identity
}
