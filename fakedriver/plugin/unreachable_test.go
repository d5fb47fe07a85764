package plugin_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
)

// outOfReach lets all requests about slices fail, until it is told otherwise.
func (r *running) outOfReach() (undo func()) {
	r.server.Change(fakeapi.Refuse(func(string, string) error { return errors.New("no route to host") }))
	return func() { r.server.Change(fakeapi.RefuseNothing) }
}

// A node that starts may not reach the API server at first. The kubelet may have
// removed the node's slices meanwhile: who does not publish them again as soon as
// possible makes the node's devices disappear.
func TestUnreachableServerAtStart(t *testing.T) {
	for name, published := range map[string]control.Published{
		"devices":  twoGPUs,
		"a defect": {Devices: oneGPU.Devices, Defect: control.OldGeneration},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t)
			_, err := r.Publish(t.Context(), driver, published)
			r.g.Expect(err).NotTo(HaveOccurred())
			undo := r.outOfReach()
			r = r.restart()
			r.g.Expect(r.Status(t.Context(), driver)).To(And(
				HaveField("Published.Defect", published.Defect), HaveField("Pending", ContainSubstring("no route to host")),
			))
			undo()
			r.g.Eventually(func() (control.Status, error) { return r.Status(t.Context(), driver) }, "10s", "50ms").
				Should(HaveField("Pending", BeEmpty()))
			r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Published.Devices", published.Devices))
		})
	}
}

// What is wanted by then is published, not what was before.
func TestUnreachableServerAtStartAndAnotherWish(t *testing.T) {
	r := start(t)
	_, err := r.Publish(t.Context(), driver, twoGPUs)
	r.g.Expect(err).NotTo(HaveOccurred())
	undo := r.outOfReach()
	r = r.restart()
	undo()
	status, err := r.Publish(t.Context(), driver, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(status.Pending).To(BeEmpty())
	r.g.Consistently(func() (control.Status, error) { return r.Status(t.Context(), driver) }, "2s", "100ms").
		Should(And(HaveField("Published.Devices", oneGPU.Devices), HaveField("Pending", BeEmpty())))
}
