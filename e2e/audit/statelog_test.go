// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A reader without claims may have read before a claim was created or after it was
// deleted. In the first case, the claim must not count as one of an earlier state: it
// may have devices of slices that were published after the read.
func TestStatesUntilTheOneThatWasRead(t *testing.T) {
	g := NewWithT(t)
	always := func(*resourceapi.ResourceClaim) bool { return true }
	log := newStateLog(always, sameClaim)
	claim := func(version string) *resourceapi.ResourceClaim {
		return &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "c", UID: "c", ResourceVersion: version}}
	}
	g.Expect(log.Replace(nil, "10")).To(Succeed())
	_, _, found, _ := log.statesUntil(nil, "10")
	g.Expect(found).To(BeTrue())
	g.Expect(log.Add(claim("12"))).To(Succeed())
	g.Expect(log.Delete(claim("13"))).To(Succeed())

	before, seamless, found, _ := log.statesUntil(nil, "11")
	g.Expect([]bool{seamless, found}).To(HaveEach(true))
	g.Expect(before).To(BeEmpty(), "the claim was created after this read")
	before, seamless, found, _ = log.statesUntil(nil, "13")
	g.Expect([]bool{seamless, found}).To(HaveEach(true))
	g.Expect(before).To(HaveExactElements(HaveExactElements(HaveField("Name", "c"))), "and deleted before this one")
}
