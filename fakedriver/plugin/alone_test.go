// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
)

// Guards that a driver becomes ready while another driver cannot publish and a
// call to a third driver hangs.
func TestReadyAlone(t *testing.T) {
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	r.server.Change(fakeapi.Reject(func(verb, driver string) error {
		if verb == "create" && driver == "stuck.example.com" {
			return errors.New("etcd is full")
		}
		return nil
	}))
	stuck := make(chan error, 1)
	go func() {
		_, err := r.Publish(t.Context(), "stuck.example.com", oneGPU)
		stuck <- err
	}()
	r.g.Eventually(func() (control.Status, error) { return r.Status(t.Context(), "stuck.example.com") }, "1m").
		Should(HaveField("Pending", ContainSubstring("etcd is full")))
	r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{Method: calls.Prepare, Action: calls.Hang, Count: 1})).To(Succeed())
	hanging := make(chan error, 1)
	first := r.kubelet(driver)
	go func() {
		_, err := first.prepare(t.Context(), claim)
		hanging <- err
	}()
	r.g.Eventually(func() ([]calls.Call, error) { return r.Calls(t.Context(), driver, 2) }, "1m").Should(HaveLen(1))

	status, err := r.Publish(t.Context(), second, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(status.Pending).To(BeEmpty())
	r.register(second)
	r.g.Expect(r.Status(t.Context(), second)).To(HaveField("Registered", true))
	r.g.Expect(r.Stop(t.Context(), second)).To(Succeed())
	r.g.Expect(stuck).NotTo(Receive())
	r.g.Expect(hanging).NotTo(Receive())

	r.g.Expect(r.Release(t.Context(), driver)).To(Succeed())
	r.g.Eventually(hanging, "1m").Should(Receive(BeNil()))
}
