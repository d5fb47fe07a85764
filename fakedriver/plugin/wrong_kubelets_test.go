// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package plugin_test

import (
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"

	"github.com/draconform/draconform/fakedriver/calls"
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

// twoRequests returns a claim with two devices for two requests.
func twoRequests() *resourceapi.ResourceClaim {
	claim := newClaim(driver, "gpu-0-mig-1g-5gb-0", "claim")
	results := &claim.Status.Allocation.Devices.Results
	second := (*results)[0]
	second.Request, second.Device = "other", "gpu-0-mig-1g-5gb-1"
	*results = append(*results, second)
	return claim
}

func TestWrongKubeletGivesFirstDeviceOnly(t *testing.T) {
	turnOn(t, &fault.GivesFirstDeviceOnly)
	claim := twoRequests()
	r := start(t, claim)
	devices, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(devices).To(HaveExactElements(HaveField("CdiDeviceIds", Not(BeEmpty())), HaveField("CdiDeviceIds", BeEmpty())))
	r.g.Expect(filepath.Glob(filepath.Join(r.config.CDIDir, "*"))).NotTo(BeEmpty(), "the driver has prepared both")
}

func TestWrongKubeletMixesUpRequests(t *testing.T) {
	turnOn(t, &fault.MixesUpRequests)
	claim := twoRequests()
	r := start(t, claim)
	devices, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(devices).To(HaveExactElements(
		And(HaveField("DeviceName", "gpu-0-mig-1g-5gb-0"), HaveField("RequestNames", []string{"other"})),
		And(HaveField("DeviceName", "gpu-0-mig-1g-5gb-1"), HaveField("RequestNames", []string{"gpu"})),
	))
}

func TestWrongKubeletComparesRequestsByPrefix(t *testing.T) {
	turnOn(t, &fault.ComparesRequestsByPrefix)
	claim := twoRequests()
	claim.Status.Allocation.Devices.Results[1].Request = "gpu-more"
	r := start(t, claim)
	devices, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(devices).To(HaveExactElements(
		And(HaveField("DeviceName", "gpu-0-mig-1g-5gb-0"), HaveField("RequestNames", []string{"gpu"})),
		And(HaveField("DeviceName", "gpu-0-mig-1g-5gb-1"), HaveField("RequestNames", []string{"gpu", "gpu-more"})),
	))
}

func TestWrongKubeletDropsShares(t *testing.T) {
	for _, on := range []bool{false, true} {
		if on {
			turnOn(t, &fault.DropsShares)
		}
		claim := newShare("share", "a")
		r := start(t, claim)
		_, err := r.Publish(t.Context(), second, nics)
		r.g.Expect(err).NotTo(HaveOccurred())
		devices, err := r.kubelet(second).prepare(t.Context(), claim)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(devices).To(HaveLen(1))
		r.g.Expect(devices[0].ShareId == nil).To(Equal(on))
		log, err := r.Calls(t.Context(), second, 0)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(log[len(log)-1].Claims).To(HaveExactElements(HaveField("Shares", HaveLen(1))), "the driver has returned it")
	}
}

func TestWrongKubeletRejectsBareDevices(t *testing.T) {
	turnOn(t, &fault.RejectsBareDevices)
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	kubelet := r.kubelet(driver)
	_, err := kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{Method: calls.Prepare, Action: calls.OmitCDIDevices, Count: 1})).To(Succeed())
	_, err = kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).To(MatchError(ContainSubstring("device gpu-0 has no CDI devices")))
}

func TestWrongKubeletsMixUpClaims(t *testing.T) {
	for name, test := range map[string]struct {
		fault *bool
		a, b  []string
	}{
		"none":          {new(bool), []string{"gpu-0-mig-1g-5gb-0"}, []string{"gpu-0-mig-1g-5gb-1"}},
		"claims":        {&fault.MixesUpClaims, []string{"gpu-0-mig-1g-5gb-1"}, []string{"gpu-0-mig-1g-5gb-0"}},
		"requests only": {&fault.ComparesRequestsOnly, []string{"gpu-0-mig-1g-5gb-0", "gpu-0-mig-1g-5gb-1"}, []string{"gpu-0-mig-1g-5gb-0", "gpu-0-mig-1g-5gb-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			turnOn(t, test.fault)
			a, b := newClaim(driver, "gpu-0-mig-1g-5gb-0", "a"), newClaim(driver, "gpu-0-mig-1g-5gb-1", "b")
			r := start(t, a, b)
			answer, err := r.kubelet(driver).prepareTogether(t, a, b)
			r.g.Expect(err).NotTo(HaveOccurred())
			for uid, want := range map[string][]string{"a": test.a, "b": test.b} {
				var got []string
				for _, device := range answer.Claims[uid].Devices {
					got = append(got, device.DeviceName)
				}
				r.g.Expect(got).To(ConsistOf(want))
			}
		})
	}
}

func TestWrongKubeletIgnoresDevicesOfAllRequests(t *testing.T) {
	turnOn(t, &fault.IgnoresDevicesOfAllRequests)
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	kubelet := r.kubelet(driver)
	r.g.Expect(kubelet.prepare(t.Context(), claim)).To(HaveLen(1))
	r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{Method: calls.Prepare, Action: calls.OmitRequests, Count: 1})).To(Succeed())
	r.g.Expect(kubelet.prepare(t.Context(), claim)).To(BeEmpty())
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
