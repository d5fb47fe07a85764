// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/gen"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

func TestMinimizeKeepsOnlyWhatFails(t *testing.T) {
	g := NewWithT(t)
	tainted := func(p *problem.Problem) bool {
		for _, slice := range p.Slices {
			for _, device := range slice.Spec.Devices {
				if len(device.Taints) > 0 && device.Taints[0].Effect == resourceapi.DeviceTaintEffectNoExecute {
					return true
				}
			}
		}
		return false
	}
	problems := gen.Config{}.Problem()
	for seed := 0; ; seed++ {
		p := problems.Example(seed)
		if !tainted(p) {
			continue
		}
		smallest := diff.Minimize(p, tainted)
		g.Expect(tainted(smallest)).To(BeTrue())
		g.Expect(smallest.Claims).To(BeEmpty())
		g.Expect(smallest.Slices).To(HaveLen(1))
		g.Expect(smallest.Slices[0].Spec.Devices).To(HaveLen(1))
		g.Expect(smallest.Slices[0].Spec.Devices[0].Attributes).To(BeEmpty())
		return
	}
}

func TestMinimizeDoesNotFollowPanics(t *testing.T) {
	g := NewWithT(t)
	p := gen.Config{}.Problem().Example(1)
	smallest := diff.Minimize(p, func(p *problem.Problem) bool { return p.Claims[0].Spec.Devices.Requests[0].Name != "" })
	g.Expect(smallest.Claims).To(HaveLen(1))
	g.Expect(smallest.Claims[0].Spec.Devices.Requests).To(HaveLen(1))
	g.Expect(smallest.Slices).To(BeEmpty())
}
