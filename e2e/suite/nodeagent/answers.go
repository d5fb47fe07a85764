// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// Answers are the devices that a driver returned, by UID of the claim. The order
// in which a driver returns them has no meaning, so they are sorted.
type Answers map[string][]operations.PreparedDevice

// CDIDevices returns the names of all CDI devices in the answers, sorted.
func (a Answers) CDIDevices() []string {
	var all []string
	for _, devices := range a {
		for _, device := range devices {
			all = append(all, device.CDIDevices...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// HaveShares reports whether the answers have the ID of a share.
func (a Answers) HaveShares() bool {
	for _, devices := range a {
		if slices.ContainsFunc(devices, func(d operations.PreparedDevice) bool { return d.ShareID != "" }) {
			return true
		}
	}
	return false
}

// answersOf returns the devices in the answer of a call.
func answersOf(answer operations.PluginAnswer) Answers {
	all := Answers{}
	for uid, claim := range answer.Claims {
		all[uid] = sorted(claim.Devices)
	}
	return all
}

func sorted(devices []operations.PreparedDevice) []operations.PreparedDevice {
	var all []operations.PreparedDevice
	for _, device := range devices {
		device.Requests = slices.Sorted(slices.Values(device.Requests))
		device.CDIDevices = slices.Sorted(slices.Values(device.CDIDevices))
		all = append(all, device)
	}
	slices.SortFunc(all, func(a, b operations.PreparedDevice) int {
		return cmp.Or(strings.Compare(deviceKey(a.Pool, a.Device, a.ShareID), deviceKey(b.Pool, b.Device, b.ShareID)), slices.Compare(a.Requests, b.Requests))
	})
	return all
}

// checkAnswer returns an error unless a call has succeeded for each of its
// claims, and answers no others.
func checkAnswer(answer operations.PluginAnswer, claims []operations.PluginClaim) error {
	if err := failure(answer); err != nil {
		return err
	}
	var errs []error
	for _, claim := range claims {
		switch got, ok := answer.Claims[claim.UID]; {
		case !ok:
			errs = append(errs, fmt.Errorf("the response has no entry for claim %s (UID %s)", claim.Name, claim.UID))
		case got.Error != "":
			errs = append(errs, fmt.Errorf("claim %s: %s", claim.Name, got.Error))
		}
	}
	return errors.Join(append(errs, strangers(answer, claims))...)
}

// failure returns the error of a call, without those of its claims.
func failure(answer operations.PluginAnswer) error {
	if answer.Code == codeOK {
		return nil
	}
	return fmt.Errorf("the call of %s failed with %s: %s", answer.Service, answer.Code, answer.Message)
}

// codeOK is the gRPC code of a call that succeeded.
const codeOK = "OK"

// strangers returns an error if an answer has claims that the call does not
// name.
func strangers(answer operations.PluginAnswer, claims []operations.PluginClaim) error {
	for uid := range answer.Claims {
		if !slices.ContainsFunc(claims, func(c operations.PluginClaim) bool { return c.UID == uid }) {
			return fmt.Errorf("the response has an entry for UID %s, which the call does not name", uid)
		}
	}
	return nil
}

// references returns claims as calls name them.
func references(claims []Claim) []operations.PluginClaim {
	var all []operations.PluginClaim
	for _, claim := range claims {
		all = append(all, claim.PluginClaim)
	}
	return all
}

// WaitForPrepared prepares claims in one call, and repeats it while it fails, as
// the kubelet does. It returns the answers, which cover exactly these claims.
func WaitForPrepared(ctx context.Context, e *env.Env, p Plugin, claims ...Claim) Answers {
	ginkgo.GinkgoHelper()
	return WaitForPreparedBy(ctx, e, p, "", claims...)
}

// WaitForPreparedBy is [WaitForPrepared] with a gRPC service. An empty service
// is the one that the kubelet uses.
func WaitForPreparedBy(ctx context.Context, e *env.Env, p Plugin, service string, claims ...Claim) Answers {
	ginkgo.GinkgoHelper()
	var answers Answers
	all := references(claims)
	ginkgo.By(fmt.Sprintf("preparing %s by a call of %s", names(all), p))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		got, err := send(ctx, e, p, operations.Prepare, operations.PluginCalls{Service: service, Calls: Repeat(1, all...)})
		if err != nil {
			return err
		}
		answers = answersOf(got[0])
		return checkAnswer(got[0], all)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "%s should prepare %s and answer for no other claim", p, names(all))
	return answers
}

// WaitForUnprepared unprepares claims in one call, and repeats it while it
// fails, as the kubelet does.
func WaitForUnprepared(ctx context.Context, e *env.Env, p Plugin, claims ...operations.PluginClaim) {
	ginkgo.GinkgoHelper()
	WaitForUnpreparedBy(ctx, e, p, "", claims...)
}

// WaitForUnpreparedBy is [WaitForUnprepared] with a gRPC service. An empty
// service is the one that the kubelet uses.
func WaitForUnpreparedBy(ctx context.Context, e *env.Env, p Plugin, service string, claims ...operations.PluginClaim) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("unpreparing %s by a call of %s", names(claims), p))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		got, err := send(ctx, e, p, operations.Unprepare, operations.PluginCalls{Service: service, Calls: Repeat(1, claims...)})
		if err != nil {
			return err
		}
		return checkAnswer(got[0], claims)
	}).WithTimeout(e.Timeouts.Deletion).Should(gomega.Succeed(), "%s should unprepare %s and answer for no other claim", p, names(claims))
}

// ExpectSameAnswers asserts that a driver has returned the same devices and CDI
// devices as before.
func ExpectSameAnswers(p Plugin, got, want Answers, despite string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(got).To(gomega.Equal(want), "%s should return the same devices and CDI devices as before, despite %s", p, despite)
}

// ExpectSameDevices asserts that a driver has returned the same devices as before, and
// CDI devices for those that had some. Their names may be others, because the claims
// were unprepared in between.
func ExpectSameDevices(p Plugin, got, want Answers, despite string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(got.withoutNames()).To(gomega.Equal(want.withoutNames()), "%s should return the same devices as before, with CDI devices if they had some, despite %s", p, despite)
}

// withoutNames returns the answers with a placeholder for the CDI devices of each device.
func (a Answers) withoutNames() Answers {
	all := Answers{}
	for uid, devices := range a {
		unnamed := slices.Clone(devices)
		for i := range unnamed {
			if len(unnamed[i].CDIDevices) > 0 {
				unnamed[i].CDIDevices = []string{"any"}
			}
		}
		all[uid] = unnamed
	}
	return all
}

// ExpectAgreement asserts that those of the calls for one claim that have
// succeeded returned the same as another call. A call that failed is repeated by
// the kubelet, so it is no violation.
func ExpectAgreement(p Plugin, claim Claim, calls []operations.PluginAnswer, want Answers) {
	ginkgo.GinkgoHelper()
	for _, answer := range calls {
		gomega.Expect(strangers(answer, []operations.PluginClaim{claim.PluginClaim})).To(gomega.Succeed(), "%s should answer the call for claim %s", p, claim.Name)
		if checkAnswer(answer, []operations.PluginClaim{claim.PluginClaim}) == nil {
			ExpectSameAnswers(p, answersOf(answer), want, "calls at the same time")
		}
	}
}

// notAnswered are the gRPC codes of calls that a driver did not answer.
var notAnswered = []string{"Unavailable", "DeadlineExceeded", "Canceled", "Unimplemented"}

// IsRefused prepares a claim once, and reports whether the driver has failed to do so. It may fail
// the call, or report an error for the claim.
func IsRefused(ctx context.Context, e *env.Env, p Plugin, claim Claim) (refused bool) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("preparing claim %s by a call of %s, which may refuse it", claim.Name, p))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		got, err := send(ctx, e, p, operations.Prepare, operations.PluginCalls{Calls: Repeat(1, claim.PluginClaim)})
		switch {
		case err != nil:
			return err
		case slices.Contains(notAnswered, got[0].Code):
			return failure(got[0])
		}
		refused = checkAnswer(got[0], []operations.PluginClaim{claim.PluginClaim}) != nil
		return nil
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "%s should answer a call for claim %s", p, claim.Name)
	return refused
}

// WaitForRejected waits until a driver rejects a claim that must not be
// prepared. A driver whose information about claims is out of date may prepare
// it at first. It may reject the call, the claim in the response, or all claims in the
// response, which is the same to a kubelet.
//
// The call also names another claim, which must be prepared: either by the same
// call, or by the next one without the rejected claim. Once it is prepared, it stays so
// when a further call names both.
func WaitForRejected(ctx context.Context, e *env.Env, p Plugin, rejected operations.PluginClaim, other Claim, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("preparing claim %s, because of which %s must fail", rejected.Name, p))
	UnprepareAtEnd(e, p, rejected) //nolint:contextcheck // The spec's context has ended by then.
	both := []operations.PluginClaim{other.PluginClaim, rejected}
	gomega.Eventually(ctx, func(ctx context.Context) error {
		got, err := send(ctx, e, p, operations.Prepare, operations.PluginCalls{Calls: Repeat(1, both...)})
		switch {
		case err != nil:
			return err
		case slices.Contains(notAnswered, got[0].Code):
			return failure(got[0])
		case got[0].Code != codeOK:
			return nil
		}
		if err := strangers(got[0], both); err != nil {
			return gomega.StopTrying(err.Error())
		}
		if answer, ok := got[0].Claims[rejected.UID]; ok && answer.Error == "" {
			_, err := send(ctx, e, p, operations.Unprepare, operations.PluginCalls{Calls: Repeat(1, rejected)})
			return errors.Join(fmt.Errorf("the driver prepared claim %s: %v", rejected.Name, answer.Devices), err)
		}
		return nil
	}).WithTimeout(e.Timeouts.Response).Should(gomega.Succeed(), "%s should not prepare claim %s (UID %s), because %s", p, rejected.Name, rejected.UID, because)
	want := WaitForPrepared(ctx, e, p, other)
	ExpectAllocatedDevices(p, other, want)
	visible := GetCDIFiles(ctx, e, p).Define(want.CDIDevices())
	GetAnswers(ctx, e, p, operations.Prepare, operations.PluginCalls{Calls: Repeat(1, both...)})
	if visible {
		ExpectCDIDevices(ctx, e, p, want)
	}
	ExpectSameAnswers(p, WaitForPrepared(ctx, e, p, other), want, "a call that also named claim "+rejected.Name)
}
