// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
)

// makeUnreachable makes all requests for slices fail until undo is called.
func (r *running) makeUnreachable() (undo func()) {
	r.server.Change(fakeapi.Reject(func(string, string) error { return errors.New("no route to host") }))
	return func() { r.server.Change(fakeapi.RejectNothing) }
}

// Guards that a plugin publishes as soon as possible if the API server is
// unreachable at its start. The kubelet may have deleted the node's slices in
// the meantime.
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
			undo := r.makeUnreachable()
			r = r.restart()
			r.g.Expect(r.Status(t.Context(), driver)).To(And(
				HaveField("Published.Defect", published.Defect), HaveField("Pending", ContainSubstring("no route to host")),
			))
			undo()
			r.g.Eventually(func() (control.Status, error) { return r.Status(t.Context(), driver) }, "1m", "50ms").
				Should(HaveField("Pending", BeEmpty()))
			r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Published.Devices", published.Devices))
		})
	}
}

// Guards that the content of a later request is published instead of the
// content from before the restart.
func TestRequestBeforeTheServerIsReachable(t *testing.T) {
	r := start(t)
	_, err := r.Publish(t.Context(), driver, twoGPUs)
	r.g.Expect(err).NotTo(HaveOccurred())
	undo := r.makeUnreachable()
	r = r.restart()
	undo()
	status, err := r.Publish(t.Context(), driver, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(status.Pending).To(BeEmpty())
	r.g.Consistently(func() (control.Status, error) { return r.Status(t.Context(), driver) }, "2s", "100ms").
		Should(And(HaveField("Published.Devices", oneGPU.Devices), HaveField("Pending", BeEmpty())))
}
