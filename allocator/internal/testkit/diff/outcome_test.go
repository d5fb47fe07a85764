// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/testkit/diff"
)

func fit(change func(*resourceapi.AllocationResult)) diff.Outcome {
	result := resourceapi.AllocationResult{}
	result.Devices.Results = []resourceapi.DeviceRequestAllocationResult{
		{Request: "r0", Driver: "d", Pool: "p", Device: "d0"},
		{
			Request: "r1", Driver: "d", Pool: "p", Device: "d1", ShareID: ptr.To(types.UID("a")),
			ConsumedCapacity: map[resourceapi.QualifiedName]resource.Quantity{"bw": resource.MustParse("1Gi")},
		},
	}
	if change != nil {
		change(&result)
	}
	return diff.Outcome{Class: diff.Fit, Results: []resourceapi.AllocationResult{result}}
}

func TestDifference(t *testing.T) {
	failed := func(text string) diff.Outcome {
		return diff.Outcome{Class: "is too large", Err: errors.New(text)}
	}
	for name, test := range map[string]struct {
		want, got diff.Outcome
		same      bool
	}{
		"equal":            {fit(nil), fit(nil), true},
		"another share ID": {fit(nil), fit(func(r *resourceapi.AllocationResult) { r.Devices.Results[1].ShareID = ptr.To(types.UID("b")) }), true},
		"another device":   {fit(nil), fit(func(r *resourceapi.AllocationResult) { r.Devices.Results[0].Device = "d2" }), false},
		"another order": {fit(nil), fit(func(r *resourceapi.AllocationResult) {
			r.Devices.Results[0], r.Devices.Results[1] = r.Devices.Results[1], r.Devices.Results[0]
		}), false},
		"another format": {fit(nil), fit(func(r *resourceapi.AllocationResult) {
			r.Devices.Results[1].ConsumedCapacity["bw"] = resource.MustParse("1073741824")
		}), false},
		"more configuration": {fit(nil), fit(func(r *resourceapi.AllocationResult) {
			r.Devices.Config = make([]resourceapi.DeviceAllocationConfiguration, 1)
		}), false},
		"fit and no fit":       {fit(nil), diff.Outcome{Class: diff.NoFit}, false},
		"no claims and no fit": {diff.Outcome{Class: diff.Fit}, diff.Outcome{Class: diff.NoFit}, false},
		"the same error":       {failed("claim a: is too large"), failed("claim b: is too large"), true},
		"an error for all nodes": {
			diff.Outcome{Class: "is too large", Err: fmt.Errorf("is too large%w", structured.ErrFailedAllocationOnNode)}, failed("is too large"), false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(diff.Difference(test.want, test.got) == nil).To(Equal(test.same))
		})
	}
}

// The step limit must stop an allocator at the same step each time, including
// one that waits for the context.
func TestStepLimit(t *testing.T) {
	g := NewWithT(t)
	ctx := diff.WithStepLimit(context.Background(), 2)
	g.Expect(ctx.Err()).To(Succeed())
	g.Expect(ctx.Err()).To(Succeed())
	g.Expect(ctx.Done()).NotTo(BeClosed())
	g.Expect(ctx.Err()).To(MatchError(context.DeadlineExceeded))
	g.Expect(ctx.Done()).To(BeClosed())
	g.Expect(ctx.Err()).To(MatchError(context.DeadlineExceeded))
	g.Expect(context.Cause(ctx)).To(MatchError(context.DeadlineExceeded))

	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	g.Expect(diff.WithStepLimit(canceled, 2).Err()).To(MatchError(context.Canceled))
}
