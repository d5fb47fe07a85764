// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"strconv"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// newClaimLog returns a log of claims. There are none at resource version 10, which was
// read.
func newClaimLog(g Gomega) *stateLog[resourceapi.ResourceClaim, *resourceapi.ResourceClaim] {
	log := newStateLog(func(*resourceapi.ResourceClaim) bool { return true }, sameClaim)
	g.Expect(log.Replace(nil, "10")).To(Succeed())
	_, _, found, _ := log.statesUntil(nil, "10")
	g.Expect(found).To(BeTrue())
	return log
}

func claimAt(version int) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "c", UID: "c", ResourceVersion: strconv.Itoa(version)}}
}

// A reader without claims may have read before a claim was created or after it was
// deleted. In the first case, the claim must not count as one of an earlier state: it
// may have devices of slices that were published after the read.
func TestStatesUntilTheOneThatWasRead(t *testing.T) {
	g := NewWithT(t)
	log := newClaimLog(g)
	g.Expect(log.Add(claimAt(12))).To(Succeed())
	g.Expect(log.Delete(claimAt(13))).To(Succeed())

	before, seamless, found, _ := log.statesUntil(nil, "11")
	g.Expect([]bool{seamless, found}).To(HaveEach(true))
	g.Expect(before).To(BeEmpty(), "the claim was created after this read")
	before, seamless, found, _ = log.statesUntil(nil, "13")
	g.Expect([]bool{seamless, found}).To(HaveEach(true))
	g.Expect(before).To(HaveExactElements(HaveExactElements(HaveField("Name", "c"))), "and deleted before this one")
}

// What happened between the last event before a relist and the relist is not known.
func TestStatesBeforeARelistAreNotKnown(t *testing.T) {
	g := NewWithT(t)
	log := newClaimLog(g)
	g.Expect(log.Add(claimAt(11))).To(Succeed())
	g.Expect(log.Replace([]any{claimAt(15)}, "15")).To(Succeed())
	_, seamless, found, _ := log.statesUntil([]resourceapi.ResourceClaim{*claimAt(15)}, "15")
	g.Expect(found).To(BeTrue())
	g.Expect(seamless).To(BeFalse())

	g.Expect(log.Delete(claimAt(16))).To(Succeed())
	_, seamless, found, _ = log.statesUntil(nil, "16")
	g.Expect([]bool{seamless, found}).To(HaveEach(true), "from then on")
}

// A view whose states were not found in time may already have covered some of those
// that are found later.
func TestStatesBehindAGapAreNotKnown(t *testing.T) {
	g := NewWithT(t)
	log := newClaimLog(g)
	g.Expect(log.Add(claimAt(11))).To(Succeed())
	log.markGap()
	_, seamless, found, _ := log.statesUntil([]resourceapi.ResourceClaim{*claimAt(11)}, "11")
	g.Expect(found).To(BeTrue())
	g.Expect(seamless).To(BeFalse())

	empty := newStateLog(log.matters, sameClaim)
	empty.markGap()
	_, _, found, _ = empty.statesUntil(nil, "11")
	g.Expect(found).To(BeFalse(), "nothing was listed")
}

// A log that nobody reads must not grow without limit.
func TestLogForgetsStatesIfThereAreTooMany(t *testing.T) {
	for changes, seamless := range map[int]bool{maxStates - 1: true, maxStates: false} {
		g := NewWithT(t)
		log := newClaimLog(g)
		last := 10
		for range changes {
			last++
			g.Expect(log.Add(claimAt(last))).To(Succeed())
		}
		g.Expect(len(log.states)).To(BeNumerically("<=", maxStates))
		_, all, found, _ := log.statesUntil([]resourceapi.ResourceClaim{*claimAt(last)}, strconv.Itoa(last))
		g.Expect(found).To(BeTrue())
		g.Expect(all).To(Equal(seamless), "%d changes", changes)
	}
}

// A claim whose allocation does not matter is gone, and its changes are no states.
func TestObjectsThatNoLongerMatterAreGone(t *testing.T) {
	g := NewWithT(t)
	log := newStateLog(func(c *resourceapi.ResourceClaim) bool { return c.Status.Allocation == nil }, sameClaim)
	g.Expect(log.Replace([]any{claimAt(10)}, "10")).To(Succeed())
	_, _, found, _ := log.statesUntil([]resourceapi.ResourceClaim{*claimAt(10)}, "10")
	g.Expect(found).To(BeTrue())

	allocated := claimAt(12)
	allocated.Status.Allocation = &resourceapi.AllocationResult{}
	g.Expect(log.Update(claimAt(11))).To(Succeed())
	g.Expect(log.Update(allocated)).To(Succeed())
	states := len(log.states)
	g.Expect(log.Delete(allocated)).To(Succeed())
	g.Expect(log.states).To(HaveLen(states))
	before, seamless, found, _ := log.statesUntil([]resourceapi.ResourceClaim{*allocated}, "12")
	g.Expect([]bool{seamless, found}).To(HaveEach(true))
	g.Expect(before).To(BeEmpty(), "the claim with another version is as the one that was read")
	g.Expect(log.Add("no claim")).To(MatchError(ContainSubstring("string is not")))
}
