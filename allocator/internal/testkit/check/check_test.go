// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package check_test

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/testkit/check"
	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// cluster returns a problem with a correct answer: devices small and other for
// the first claim, a share of nic for the second.
func cluster(t *testing.T) (*problem.Problem, []resourceapi.AllocationResult) {
	t.Helper()
	g := NewWithT(t)
	cases, err := diff.ReadCases("testdata")
	g.Expect(err).NotTo(HaveOccurred())
	p := &cases["cluster"].Problem
	outcome := diff.Run(context.Background(), diff.Experimental, p, p.Nodes[0])
	g.Expect(outcome.Devices()).To(Equal([][]string{
		{"gpu=gpu.example.com/gpus/small", "gpu=gpu.example.com/gpus/other"}, {`nic/fast=nic.example.com/nics/nic {"bw":"4"}`},
	}))
	return p, outcome.Results
}

type result = resourceapi.AllocationResult

// device returns a function that changes the second device of the first claim.
func device(name string) func(gpus, nics *result) {
	return func(gpus, _ *result) { gpus.Devices.Results[1].Device = name }
}

func TestRightResultIsAccepted(t *testing.T) {
	p, results := cluster(t)
	NewWithT(t).Expect(check.Results(p, p.Nodes[0], results)).To(Succeed())
}

// Each change violates one rule. The message shows which rule was checked.
func TestWrongResultsAreRejected(t *testing.T) {
	for name, test := range map[string]struct {
		change func(gpus, nics *result)
		want   string
	}{
		"in use":                {device("used"), "allocated already"},
		"twice":                 {device("small"), "given twice to one request"},
		"counters":              {device("large"), "counter memory of s is overdrawn by 2147483648"},
		"groups":                {device("alien"), "no compatibility group in common"},
		"constraint":            {device("distant"), "no value in common"},
		"selector":              {device("plain"), "not selected"},
		"taint":                 {device("sick"), "taint sick:NoSchedule is not tolerated"},
		"unknown":               {device("none"), "is not offered on node n0"},
		"too few":               {func(gpus, _ *result) { gpus.Devices.Results = gpus.Devices.Results[:1] }, "got 1 devices, want 2"},
		"nothing":               {func(_, nics *result) { nics.Devices.Results = nil }, "request 0 got nothing"},
		"unknown request":       {func(_, nics *result) { nics.Devices.Results[0].Request = "nic" }, `no request is called "nic"`},
		"other alternative":     {func(_, nics *result) { nics.Devices.Results[0].Request = "nic/slow" }, "consumes 4 of capacity bw, want 2.000"},
		"capacity":              {func(_, nics *result) { nics.Devices.Results[0].ConsumedCapacity["bw"] = resource.MustParse("3") }, "consumes 3 of capacity bw, want 4.000"},
		"no capacity":           {func(_, nics *result) { nics.Devices.Results[0].ConsumedCapacity = nil }, "consumes 0 capacities, want 1"},
		"no share":              {func(_, nics *result) { nics.Devices.Results[0].ShareID = nil }, "has no share ID"},
		"bad share":             {func(_, nics *result) { nics.Devices.Results[0].ShareID = ptr.To(types.UID("one")) }, "is not a UUID of its own"},
		"share of a whole":      {func(gpus, nics *result) { gpus.Devices.Results[0].ShareID = nics.Devices.Results[0].ShareID }, "the device is not shared"},
		"no toleration":         {func(_, nics *result) { nics.Devices.Results[0].Tolerations = nil }, "Tolerations:[]DeviceToleration{DeviceToleration{"},
		"admin":                 {func(gpus, _ *result) { gpus.Devices.Results[0].AdminAccess = ptr.To(true) }, "AdminAccess:*true"},
		"binding conditions":    {func(gpus, _ *result) { gpus.Devices.Results[0].BindingConditions = []string{"ready"} }, "BindingConditions:[ready]"},
		"missing configuration": {func(gpus, _ *result) { gpus.Devices.Config = gpus.Devices.Config[1:] }, "claim 0: configuration is"},
		"order of configuration": {func(gpus, _ *result) {
			gpus.Devices.Config[0], gpus.Devices.Config[1] = gpus.Devices.Config[1], gpus.Devices.Config[0]
		}, "claim 0: configuration is"},
		"requests of configuration": {func(gpus, _ *result) { gpus.Devices.Config[1].Requests = []string{"gpu"} }, "claim 0: configuration is"},
		"nowhere else":              {func(gpus, _ *result) { gpus.NodeSelector = nil }, "claim 0: node selector is"},
		"somewhere else":            {func(gpus, nics *result) { nics.NodeSelector = gpus.NodeSelector }, "claim 1: node selector is"},
	} {
		t.Run(name, func(t *testing.T) {
			p, results := cluster(t)
			test.change(&results[0], &results[1])
			NewWithT(t).Expect(check.Results(p, p.Nodes[0], results)).To(MatchError(ContainSubstring(test.want)))
		})
	}
}

func TestRulesLookAtTheWholeProblem(t *testing.T) {
	for name, test := range map[string]struct {
		change func(p *problem.Problem)
		want   string
	}{
		"a claim more":       {func(p *problem.Problem) { p.Claims = append(p.Claims, p.Claims[0]) }, "2 results for 3 claims"},
		"an incomplete pool": {func(p *problem.Problem) { p.Slices = p.Slices[1:] }, "is not offered"},
		"an invalid pool":    {func(p *problem.Problem) { p.Slices[1].Spec.Devices[6].Name = "small" }, "is not offered"},
		"a newer pool": {func(p *problem.Problem) {
			newer := p.Slices[0].DeepCopy()
			newer.Spec.Pool.Generation++
			p.Slices = append(p.Slices, newer)
		}, "is not offered"},
		"another node": {func(p *problem.Problem) { p.Nodes[0] = &corev1.Node{} }, "is not offered"},
		"a full device": {func(p *problem.Problem) {
			share := p.Allocated[0].DeepCopy()
			share.Status.Allocation.Devices.Results[0] = resourceapi.DeviceRequestAllocationResult{
				Driver: "nic.example.com", Pool: "nics", Device: "nic", ShareID: ptr.To(types.UID("earlier")),
				ConsumedCapacity: map[resourceapi.QualifiedName]resource.Quantity{"bw": resource.MustParse("7")},
			}
			p.Allocated = append(p.Allocated, share)
		}, "capacity bw is exceeded"},
		"a feature less": {func(p *problem.Problem) { p.Features.PartitionableDevices = false }, "uses counters, which are not counted without the feature"},
		"all devices": {func(p *problem.Problem) {
			p.Claims[0].Spec.Devices.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		}, "got 2 devices, want 6"},
		"a distinct attribute": {func(p *problem.Problem) {
			c := &p.Claims[0].Spec.Devices.Constraints[0]
			c.MatchAttribute, c.DistinctAttribute = nil, c.MatchAttribute
		}, "two devices have a value in common"},
	} {
		t.Run(name, func(t *testing.T) {
			p, results := cluster(t)
			changed := p.Clone()
			test.change(changed)
			NewWithT(t).Expect(check.Results(changed, changed.Nodes[0], results)).To(MatchError(ContainSubstring(test.want)))
		})
	}
}
