// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package claims

import (
	"os"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/draconform/draconform/internal/fault"
)

func TestWrongDriverUnpreparesOtherPartitions(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		if on {
			turnOn(t, &fault.UnpreparesOtherPartitions)
		}
		store := open(t, newConfigFor(t, 2))
		g.Expect(store.prepareAll(t, newClaim("goes", small0), newClaim("sibling", half4), newClaim("other", "gpu-1"))).To(Succeed())
		g.Expect(store.Unprepare(t.Context(), "goes")).To(Succeed())
		g.Expect(store.Prepared()).To(Equal(map[bool][]string{false: {"default/other", "default/sibling"}, true: {"default/other"}}[on]))
	}
}

func TestWrongDriverLeavesRefusedClaims(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		if on {
			turnOn(t, &fault.LeavesRefusedClaims)
		}
		store := open(t, newConfig(t))
		refused := withConfig(newClaim("refused", small0), fromClaim, driver, `{"apiVersion": "unknown.example.com/v1"}`)
		g.Expect(store.prepareAll(t, refused)).NotTo(Succeed())
		g.Expect(store.Unprepare(t.Context(), refused.UID)).To(Succeed())
		g.Expect(store.prepareAll(t, newClaim("next", small0))).To(Succeed())
		g.Expect(store.Unprepare(t.Context(), "next")).To(Succeed())
		g.Expect(store.Described()).To(HaveLen(map[bool]int{false: 0, true: 1}[on]))
	}
}

func TestWrongDriverForgetsRefusedClaims(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		if on {
			turnOn(t, &fault.ForgetsRefusedClaims)
		}
		config := newConfig(t)
		store := open(t, config)
		refused := withConfig(newClaim("refused", small0), fromClaim, driver, `{"apiVersion": "unknown.example.com/v1"}`)
		g.Expect(store.prepareAll(t, refused)).NotTo(Succeed())
		g.Expect(store.Unprepare(t.Context(), refused.UID)).To(Succeed())
		g.Expect(store.Described()).To(BeEmpty(), "it is the same process")
		g.Expect(store.prepareAll(t, refused)).NotTo(Succeed())
		store = open(t, config)
		g.Expect(store.Unprepare(t.Context(), refused.UID)).To(Succeed())
		g.Expect(store.Described()).To(HaveLen(map[bool]int{false: 0, true: 1}[on]))
	}
}

func TestWrongDriverNeedsSpecsAfterRestart(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		if on {
			turnOn(t, &fault.NeedsSpecsAfterRestart)
		}
		config := newConfig(t)
		g.Expect(open(t, config).prepareAll(t, newClaim("before", small0))).To(Succeed())
		g.Expect(os.RemoveAll(config.CDIDir)).To(Succeed())
		g.Expect(open(t, config).Unprepare(t.Context(), "before")).To(map[bool]types.GomegaMatcher{false: Succeed(), true: MatchError(ContainSubstring("remove CDI spec"))}[on])
	}
}

func TestWrongDriverLeavesSpecsAfterRestart(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		config := newConfig(t)
		g.Expect(open(t, config).prepareAll(t, newClaim("before", small0))).To(Succeed())
		if on {
			turnOn(t, &fault.LeavesSpecsAfterRestart)
		}
		again := open(t, config)
		g.Expect(again.prepareAll(t, newClaim("after", small1))).To(Succeed())
		g.Expect(again.Unprepare(t.Context(), "before")).To(Succeed())
		g.Expect(again.Unprepare(t.Context(), "after")).To(Succeed())
		g.Expect(again.Prepared()).To(BeEmpty())
		g.Expect(again.Described()).To(Equal(map[bool][]string{false: nil, true: {"before"}}[on]))
	}
}
