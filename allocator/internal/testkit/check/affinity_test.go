// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"context"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/testkit/check"
	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// in replaces text in the parameters of an opaque configuration.
func in(c *resourceapi.DeviceConfiguration, before, after string) {
	raw := &c.Opaque.Parameters.Raw
	*raw = []byte(strings.ReplaceAll(string(*raw), before, after))
}

// Two claims share a device with a third one. Each change violates or keeps a
// rule of KEP-5981. Package rules has the tests for decoding.
func TestSharingAffinityIsVerified(t *testing.T) {
	const ok, nothing, annotation = "", "states no string for", "draconform.dev/sharing-affinity"
	type config = *resourceapi.DeviceConfiguration
	for name, test := range map[string]struct {
		// change modifies the problem and what the holder, the first and the
		// second claim state.
		change func(p *problem.Problem, holder, first, second config)
		want   string
	}{
		"all state the same":            {func(*problem.Problem, config, config, config) {}, ok},
		"a key that no device declares": {func(_ *problem.Problem, _, first, _ config) { in(first, "100", "200") }, ok},
		"admin access": {func(p *problem.Problem, _, first, _ config) {
			in(first, `"1"`, `"2"`)
			ofFirst(p).AdminAccess = ptr.To(true)
		}, ok},
		"another than a holder": {func(_ *problem.Problem, holder, _, _ config) { in(holder, `"a"`, `"b"`) }, `nic.example.com/subnet is [a b]`},
		"another than a choice": {func(_ *problem.Problem, _, _, second config) { in(second, `"1"`, `"2"`) }, `1/0/0:nic.example.com/nics/nic0: sharing affinity: nic.example.com/pkey is [1 2]`},
		"no entry":              {func(_ *problem.Problem, _, _, second config) { second.Opaque.Driver = "nic.example.com" }, nothing},
		"an unknown field":      {func(_ *problem.Problem, _, first, _ config) { in(first, `"int"`, `"number"`) }, "unknown field"},
		"two entries": {func(p *problem.Problem, _, _, _ config) {
			devices := &p.Claims[0].Spec.Devices
			devices.Config = append(devices.Config, devices.Config[0])
		}, "several StructuredParameters entries"},
		"an entry of the class": {func(p *problem.Problem, _, first, _ config) {
			p.Classes[0].Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: *first.DeepCopy()}}
			p.Claims[0].Spec.Devices.Config, p.Claims[1].Spec.Devices.Config = nil, nil
		}, ok},
		"entries of class and claim": {func(p *problem.Problem, _, first, _ config) {
			p.Classes[0].Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: *first.DeepCopy()}}
		}, "several StructuredParameters entries"},
		"an entry for another request": {func(p *problem.Problem, _, _, _ config) {
			p.Claims[0].Spec.Devices.Config[0].Requests = []string{"other"}
		}, nothing},
		"an entry for all requests": {func(p *problem.Problem, _, _, _ config) { p.Claims[0].Spec.Devices.Config[0].Requests = nil }, ok},
		"a legacy holder": {func(p *problem.Problem, _, _, _ config) {
			p.Allocated[0].Status.Allocation.Devices.Config = nil
		}, nothing},
		"a holder whose entry is for another alternative": {func(p *problem.Problem, _, _, _ config) {
			p.Allocated[0].Status.Allocation.Devices.Config[0].Requests = []string{"port/slow"}
		}, nothing},
		"a legacy holder with admin access": {func(p *problem.Problem, _, _, _ config) {
			p.Allocated[0].Status.Allocation.Devices.Config = nil
			p.Allocated[0].Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)
		}, ok},
		"a legacy holder of another device": {func(p *problem.Problem, _, _, _ config) {
			p.Allocated[0].Status.Allocation.Devices.Config = nil
			p.Allocated[0].Status.Allocation.Devices.Results[0].Pool = "other"
		}, ok},
		"no device declares keys":    {func(p *problem.Problem, _, first, _ config) { in(first, `"a"`, `"b"`); p.Slices[0].Annotations = nil }, ok},
		"without sharing affinity":   {func(p *problem.Problem, _, first, _ config) { in(first, `"a"`, `"b"`); p.SharingAffinity = false }, ok},
		"a declaration without keys": {func(p *problem.Problem, _, _, _ config) { p.Slices[0].Annotations[annotation] = `{"other":{}}` }, "device other: attributeKeys is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			cases, err := diff.ReadCases("testdata")
			g.Expect(err).NotTo(HaveOccurred())
			p := &cases["sharing"].Problem
			test.change(p, &p.Allocated[0].Status.Allocation.Devices.Config[0].DeviceConfiguration,
				&p.Claims[0].Spec.Devices.Config[0].DeviceConfiguration, &p.Claims[1].Spec.Devices.Config[0].DeviceConfiguration)
			// Kubernetes allocates the device to all claims.
			outcome := diff.Run(context.Background(), diff.Experimental, p, p.Nodes[0])
			g.Expect(outcome.Class).To(Equal(diff.Fit))
			err = check.Results(p, p.Nodes[0], outcome.Results)
			if test.want == ok {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
}

func ofFirst(p *problem.Problem) *resourceapi.ExactDeviceRequest {
	return p.Claims[0].Spec.Devices.Requests[0].Exactly
}
