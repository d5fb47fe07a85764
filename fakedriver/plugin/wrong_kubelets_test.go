// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package plugin_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"

	"github.com/draconform/draconform/internal/fault"
)

// prepareTogether has claims prepared by one call.
func (k kubelet) prepareTogether(t *testing.T, claims ...*resourceapi.ResourceClaim) (*drapb.NodePrepareResourcesResponse, error) {
	t.Helper()
	var all []*drapb.Claim
	for _, claim := range claims {
		all = append(all, reference(claim))
	}
	return k.client.NodePrepareResources(t.Context(), &drapb.NodePrepareResourcesRequest{Claims: all})
}

// unprepareTogether has claims unprepared by one call.
func (k kubelet) unprepareTogether(t *testing.T, claims ...*resourceapi.ResourceClaim) (*drapb.NodeUnprepareResourcesResponse, error) {
	t.Helper()
	var all []*drapb.Claim
	for _, claim := range claims {
		all = append(all, reference(claim))
	}
	return k.client.NodeUnprepareResources(t.Context(), &drapb.NodeUnprepareResourcesRequest{Claims: all})
}

// received returns the calls of a driver, each with its claims.
func (r *running) received(driver string) []string {
	r.tb.Helper()
	log, err := r.Calls(r.tb.Context(), driver, 0)
	r.g.Expect(err).NotTo(HaveOccurred())
	var all []string
	for _, call := range log {
		var uids []string
		for _, claim := range call.Claims {
			uids = append(uids, claim.UID)
		}
		if len(uids) > 0 {
			all = append(all, strings.TrimSuffix(strings.TrimPrefix(call.Method, "Node"), "Resources")+" "+strings.Join(uids, ","))
		}
	}
	return all
}

// prepared returns the prepared claims of a driver.
func (r *running) prepared(driver string) []string {
	r.tb.Helper()
	status, err := r.Status(r.tb.Context(), driver)
	r.g.Expect(err).NotTo(HaveOccurred())
	return status.Claims
}

// The real kubelet has two claims prepared and unprepared together. Guards what the
// driver gets from each faulty kubelet, and that the real one notices nothing.
func TestWrongKubeletsChangeCalls(t *testing.T) {
	both := []string{"default/a", "default/b"}
	for name, test := range map[string]struct {
		fault                *bool
		calls                []string
		prepared, unprepared []string // after the call to prepare, and to unprepare
	}{
		"none":                   {fault: new(bool), calls: []string{"Prepare a,b", "Unprepare a,b"}, prepared: both},
		"first claim only":       {fault: &fault.CallsForFirstClaimOnly, calls: []string{"Prepare a", "Unprepare a,b"}, prepared: both[:1]},
		"one call for each":      {fault: &fault.CallsForEachClaim, calls: []string{"Prepare a", "Prepare b", "Unprepare a,b"}, prepared: both},
		"another UID":            {fault: &fault.CallsForOtherClaims, calls: []string{"Prepare a,b", "Unprepare other-than-a,other-than-b"}, prepared: both, unprepared: both},
		"never unprepares":       {fault: &fault.NeverUnprepares, calls: []string{"Prepare a,b"}, prepared: both, unprepared: both},
		"unprepares early":       {fault: &fault.UnpreparesTooEarly, calls: []string{"Prepare a,b", "Unprepare a,b", "Unprepare a,b"}},
		"prepares again":         {fault: &fault.PreparesAfterUnprepare, calls: []string{"Prepare a,b", "Unprepare a,b", "Prepare a,b"}, prepared: both, unprepared: both},
		"ignores failed prepare": {fault: &fault.IgnoresFailedPrepare, calls: []string{"Prepare a,b", "Unprepare a,b"}, prepared: both},
	} {
		t.Run(name, func(t *testing.T) {
			turnOn(t, test.fault)
			a, b := newClaim(driver, "gpu-0-mig-1g-5gb-0", "a"), newClaim(driver, "gpu-0-mig-1g-5gb-1", "b")
			r := start(t, a, b)
			kubelet := r.kubelet(driver)
			answer, err := kubelet.prepareTogether(t, a, b)
			r.g.Expect(err).NotTo(HaveOccurred())
			r.g.Expect(answer.Claims).To(And(HaveLen(2), HaveKeyWithValue("a", HaveField("Error", "")), HaveKeyWithValue("b", HaveField("Error", ""))))
			r.g.Expect(r.prepared(driver)).To(HaveExactElements(toAny(test.prepared)...))
			undone, err := kubelet.unprepareTogether(t, a, b)
			r.g.Expect(err).NotTo(HaveOccurred())
			r.g.Expect(undone.Claims).To(And(HaveLen(2), HaveKeyWithValue("a", HaveField("Error", "")), HaveKeyWithValue("b", HaveField("Error", ""))))
			r.g.Expect(r.prepared(driver)).To(HaveExactElements(toAny(test.unprepared)...))
			r.g.Expect(r.received(driver)).To(Equal(test.calls))
		})
	}
}

func toAny(list []string) []any {
	all := make([]any, len(list))
	for i, s := range list {
		all[i] = s
	}
	return all
}

// Guards that a kubelet that has forgotten a claim does not have it unprepared, unless
// another pod made it prepare the claim again.
func TestWrongKubeletForgetsClaimsAtRestart(t *testing.T) {
	turnOn(t, &fault.ForgetsClaimsAtRestart)
	forgotten, again := newClaim(driver, "gpu-0-mig-1g-5gb-0", "forgotten"), newClaim(driver, "gpu-0-mig-1g-5gb-1", "again")
	r := start(t, forgotten, again)
	kubelet := r.kubelet(driver)
	_, err := kubelet.prepareTogether(t, forgotten, again)
	r.g.Expect(err).NotTo(HaveOccurred())
	kubelet = r.kubelet(driver)
	_, err = kubelet.prepareTogether(t, again)
	r.g.Expect(err).NotTo(HaveOccurred())
	for _, claim := range []*resourceapi.ResourceClaim{forgotten, again} {
		r.g.Expect(kubelet.unprepare(t.Context(), claim)).To(Succeed())
	}
	r.g.Expect(r.prepared(driver)).To(Equal([]string{"default/forgotten"}))
}

func TestWrongKubeletStoresAnotherPool(t *testing.T) {
	turnOn(t, &fault.StoresAnotherPool)
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	devices, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(devices).To(HaveExactElements(And(HaveField("PoolName", "another"), HaveField("DeviceName", "gpu-0"))))
}

func TestWrongKubeletUnpreparesClaimsOfOtherPods(t *testing.T) {
	turnOn(t, &fault.UnpreparesClaimsOfOtherPods)
	goes, stays := newClaim(driver, "gpu-0-mig-1g-5gb-0", "goes"), newClaim(driver, "gpu-0-mig-1g-5gb-1", "stays")
	r := start(t, goes, stays)
	kubelet := r.kubelet(driver)
	for _, claim := range []*resourceapi.ResourceClaim{goes, stays} {
		_, err := kubelet.prepare(t.Context(), claim)
		r.g.Expect(err).NotTo(HaveOccurred())
	}
	answer, err := kubelet.unprepareTogether(t, goes)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(answer.Claims).To(HaveLen(1), "the real kubelet called for one claim")
	r.g.Expect(r.prepared(driver)).To(BeEmpty())
}

func TestWrongKubeletCallsForClaimsOfOtherPods(t *testing.T) {
	turnOn(t, &fault.CallsForClaimsOfOtherPods)
	a, b, c := newClaim(driver, "gpu-0-mig-1g-5gb-0", "a"), newClaim(driver, "gpu-0-mig-1g-5gb-1", "b"), newClaim(driver, "gpu-0-mig-1g-5gb-2", "c")
	r := start(t, a, b, c)
	kubelet := r.kubelet(driver)
	for _, claim := range []*resourceapi.ResourceClaim{a, b} {
		answer, err := kubelet.prepareTogether(t, claim)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(answer.Claims).To(HaveLen(1), "the real kubelet called for one claim")
	}
	r.g.Expect(kubelet.unprepare(t.Context(), a)).To(Succeed())
	_, err := kubelet.prepareTogether(t, c)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.received(driver)).To(Equal([]string{"Prepare a", "Prepare b,a", "Unprepare a", "Prepare c,b"}))
}
