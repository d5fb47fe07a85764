// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package plugin_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"

	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/internal/fault"
)

// A failure is of the call, of the claim, or a missing answer.
func TestWrongKubeletsThatMishandleFailures(t *testing.T) {
	for _, action := range []calls.Action{calls.Fail, calls.FailClaims, calls.OmitClaims} {
		t.Run(string(action), func(t *testing.T) {
			claim := newClaim(driver, "gpu-0", "claim")
			r := start(t, claim)
			kubelet := r.kubelet(driver)
			fail := func(method string) {
				r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{Method: method, Action: action, Count: 1, Message: "jammed"})).To(Succeed())
			}
			t.Run("ignores a failed call", func(t *testing.T) {
				turnOn(t, &fault.IgnoresFailedPrepare)
				fail(calls.Prepare)
				answer, err := kubelet.prepareTogether(t, claim)
				r.g.Expect(err).NotTo(HaveOccurred())
				r.g.Expect(answer.Claims).To(HaveKeyWithValue("claim", And(HaveField("Error", ""), HaveField("Devices", BeEmpty()))))
				r.g.Expect(r.prepared(driver)).To(BeEmpty())
			})
			t.Run("does not call again", func(t *testing.T) {
				turnOn(t, &fault.NeverRepeatsPrepare)
				fail(calls.Prepare)
				before := len(r.received(driver))
				_, _ = kubelet.prepareTogether(t, claim)
				_, err := kubelet.prepareTogether(t, claim)
				r.g.Expect(err).To(HaveOccurred())
				r.g.Expect(r.received(driver)).To(HaveLen(before+1), "the driver got one call")
			})
			t.Run("ignores that a claim stays prepared", func(t *testing.T) {
				_, err := kubelet.prepareTogether(t, claim)
				r.g.Expect(err).NotTo(HaveOccurred())
				turnOn(t, &fault.IgnoresFailedUnprepare)
				fail(calls.Unprepare)
				answer, err := kubelet.unprepareTogether(t, claim)
				r.g.Expect(err).NotTo(HaveOccurred())
				r.g.Expect(answer.Claims).To(HaveKeyWithValue("claim", HaveField("Error", "")))
				r.g.Expect(r.prepared(driver)).To(HaveLen(1))
			})
		})
	}
}

// A failure is of the claim, or a missing answer.
func TestWrongKubeletIgnoresErrorsOfLaterClaims(t *testing.T) {
	turnOn(t, &fault.IgnoresErrorsOfLaterClaims)
	for _, action := range []calls.Action{calls.FailClaims, calls.OmitClaims} {
		t.Run(string(action), func(t *testing.T) {
			a, b := newClaim(driver, "gpu-0-mig-1g-5gb-0", "a"), newClaim(driver, "gpu-0-mig-1g-5gb-1", "b")
			r := start(t, a, b)
			kubelet := r.kubelet(driver)
			prepare := func(failing string) map[string]*drapb.NodePrepareResourceResponse {
				r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{Method: calls.Prepare, Action: action, Count: 1, Message: "jammed", Claims: []string{failing}})).To(Succeed())
				answer, err := kubelet.prepareTogether(t, a, b)
				r.g.Expect(err).NotTo(HaveOccurred())
				return answer.Claims
			}
			r.g.Expect(prepare("b")).To(And(HaveLen(2), HaveKeyWithValue("b", And(HaveField("Error", ""), HaveField("Devices", BeEmpty())))))
			r.g.Expect(r.prepared(driver)).To(Equal([]string{"default/a"}))
			r.g.Expect(prepare("a")).NotTo(HaveKeyWithValue("a", HaveField("Error", "")), "the first claim has failed")
		})
	}
}

func TestWrongKubeletForgetsFailedClaims(t *testing.T) {
	turnOn(t, &fault.ForgetsFailedClaims)
	lost, failed, good := newClaim(driver, "gpu-0-mig-1g-5gb-0", "lost"), newClaim(driver, "gpu-0-mig-1g-5gb-1", "failed"), newClaim(driver, "gpu-0-mig-1g-5gb-2", "good")
	r := start(t, lost, failed, good)
	kubelet := r.kubelet(driver)
	for claim, action := range map[*resourceapi.ResourceClaim]calls.Action{lost: calls.Lose, failed: calls.FailClaims} {
		r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{Method: calls.Prepare, Action: action, Count: 1, Message: "jammed", Claims: []string{claim.Name}})).To(Succeed())
	}
	for _, claim := range []*resourceapi.ResourceClaim{lost, failed, good} {
		_, _ = kubelet.prepareTogether(t, claim)
	}
	r.g.Expect(r.prepared(driver)).To(Equal([]string{"default/good", "default/lost"}))
	answer, err := kubelet.unprepareTogether(t, failed, good, lost)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(answer.Claims).To(HaveLen(3))
	r.g.Expect(r.prepared(driver)).To(Equal([]string{"default/lost"}))

	_, err = kubelet.prepareTogether(t, lost)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(kubelet.unprepare(t.Context(), lost)).To(Succeed())
	r.g.Expect(r.prepared(driver)).To(BeEmpty(), "the second call has succeeded")
}

func TestWrongKubeletIgnoresErrorsOfLaterUnprepares(t *testing.T) {
	for _, on := range []bool{false, true} {
		if on {
			turnOn(t, &fault.IgnoresErrorsOfLaterUnprepares)
		}
		a, b := newClaim(driver, "gpu-0-mig-1g-5gb-0", "a"), newClaim(driver, "gpu-0-mig-1g-5gb-1", "b")
		r := start(t, a, b)
		r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{Method: calls.Unprepare, Action: calls.FailClaims, Count: 1, Message: "failed"})).To(Succeed())
		answer, err := r.kubelet(driver).unprepareTogether(t, a, b)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(answer.Claims["a"].Error).To(Equal("failed"))
		r.g.Expect(answer.Claims["b"].Error).To(Equal(map[bool]string{false: "failed", true: ""}[on]))
	}
}
