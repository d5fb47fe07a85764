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

// Guards that a driver is not left running if its content cannot be published.
func TestRejectedContent(t *testing.T) {
	for name, test := range map[string]struct {
		published control.Published
		defect    control.Defect
		option    fakeapi.Option
	}{
		"the pool has no counters":      {nics, control.DuplicateCounterSet, fakeapi.Kubernetes135},
		"the API server rejects slices": {oneGPU, control.UnknownCounterSet, fakeapi.Kubernetes134},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			r.server.Change(test.option)
			r.settle()
			before := r.traces()
			spoiled := test.published
			spoiled.Defect = test.defect
			_, err := r.Publish(t.Context(), second, spoiled)
			r.g.Expect(err).To(MatchError(control.ErrInvalid))
			r.g.Expect(r.List(t.Context())).To(HaveLen(1))
			r.g.Expect(r.traces()).To(Equal(before))
			r = r.restart()
			r.g.Expect(r.List(t.Context())).To(HaveLen(1))
		})
	}
}

// Guards that Stop can be retried after the API server failed to delete the
// slices.
func TestStopAgain(t *testing.T) {
	r := start(t)
	r.settle()
	before := r.traces()
	_, err := r.Publish(t.Context(), second, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.server.Change(fakeapi.Reject(func(verb, _ string) error {
		if verb == "delete" {
			return errors.New("etcd is full")
		}
		return nil
	}))
	for range 2 {
		r.g.Expect(r.Stop(t.Context(), second)).To(MatchError(ContainSubstring("etcd is full")))
		r.g.Expect(r.List(t.Context())).To(HaveLen(2), "it is still listed")
	}
	r.server.Change(fakeapi.RejectNothing)
	r.g.Expect(r.Stop(t.Context(), second)).To(Succeed())
	r.g.Expect(r.traces()).To(Equal(before))
}

// Guards that a driver can be stopped while a call hangs. That call does not
// prepare the claim.
func TestStopHung(t *testing.T) {
	claim := newClaim(second, "gpu-0", "claim")
	r := start(t, claim)
	r.settle()
	before := r.traces()
	_, err := r.Publish(t.Context(), second, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	kubelet := r.kubelet(second)
	r.g.Expect(r.Inject(t.Context(), second, calls.Fault{Method: calls.Prepare, Action: calls.Hang, Count: 1})).To(Succeed())
	ended := make(chan error, 1)
	go func() {
		_, err := kubelet.prepare(t.Context(), claim)
		ended <- err
	}()
	r.g.Eventually(func() ([]calls.Call, error) { return r.Calls(t.Context(), second, 2) }, "1m").Should(HaveLen(1))
	r.g.Expect(r.Stop(t.Context(), second)).To(Succeed())
	r.g.Eventually(ended, "1m").Should(Receive(HaveOccurred()))
	r.g.Expect(r.traces()).To(Equal(before))
}
