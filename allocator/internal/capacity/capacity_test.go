// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/capacity"
)

func q(s string) resource.Quantity { return resource.MustParse(s) }

func ranged(lowest, highest, step string) *resourceapi.CapacityRequestPolicy {
	r := &resourceapi.CapacityRequestPolicyRange{Min: ptr.To(q(lowest))}
	if highest != "" {
		r.Max = ptr.To(q(highest))
	}
	if step != "" {
		r.Step = ptr.To(q(step))
	}
	return &resourceapi.CapacityRequestPolicy{Default: ptr.To(q(lowest)), ValidRange: r}
}

// The consumption of a capacity of 10Gi (KEP-5075, "Request policies").
func TestConsumed(t *testing.T) {
	values := &resourceapi.CapacityRequestPolicy{Default: ptr.To(q("1Gi")), ValidValues: []resource.Quantity{q("1Gi"), q("2Gi"), q("4Gi")}}
	for name, test := range map[string]struct {
		policy     *resourceapi.CapacityRequestPolicy
		request    string
		fractional bool
		want       string // Empty if the device does not fit.
		err        string
	}{
		"everything without a request":                {want: "10Gi"},
		"the request without a policy":                {request: "3Gi", want: "3Gi"},
		"the default without a request":               {policy: values, want: "1Gi"},
		"the next of the valid values":                {policy: values, request: "3Gi", want: "4Gi"},
		"a valid value as it is":                      {policy: values, request: "2Gi", want: "2Gi"},
		"more than the largest valid value":           {policy: values, request: "5Gi"},
		"the minimum for less than that":              {policy: ranged("2Gi", "8Gi", "2Gi"), request: "1Gi", want: "2Gi"},
		"the next step":                               {policy: ranged("2Gi", "8Gi", "2Gi"), request: "5Gi", want: "6Gi"},
		"any amount without steps":                    {policy: ranged("2Gi", "8Gi", ""), request: "5Gi", want: "5Gi"},
		"more than the maximum":                       {policy: ranged("2Gi", "8Gi", "2Gi"), request: "9Gi"},
		"steps count from the minimum":                {policy: ranged("1", "10", "3"), request: "5", want: "7"},
		"a fractional step":                           {policy: ranged("500m", "2", "500m"), request: "700m", fractional: true, want: "1"},
		"a fraction of a step that is not calculated": {policy: ranged("1", "10", "1"), request: "1500m", want: "2"},
		"a step that does not fit into 64 bits":       {policy: ranged("1", "", "9223372036854775807"), request: "9223372036854775806", err: "cannot be represented"},
		"a request that does not fit into 64 bits":    {policy: ranged("1", "", "1"), request: "1e30", err: "exceeds MaxInt64"},
		"a step of zero in an old slice":              {policy: ranged("1", "10", "0"), request: "2", err: "the step is zero"},
		"a negative request":                          {request: "-1", err: "negative"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			capacities := capacity.Capacities{"memory": {Value: q("10Gi"), RequestPolicy: test.policy}}
			var requests capacity.Requests
			if test.request != "" {
				requests = capacity.Requests{"memory": q(test.request)}
			}
			amounts, ok, err := capacity.Consumed(requests, capacities, test.fractional)
			if test.err != "" {
				g.Expect(err).To(MatchError(ContainSubstring(test.err)))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(ok).To(Equal(test.want != ""))
			if ok {
				g.Expect(ptr.To(amounts["memory"]).Cmp(q(test.want))).To(BeZero(), "got %s", ptr.To(amounts["memory"]))
			}
		})
	}
}

func TestMissingCapacity(t *testing.T) {
	g := NewWithT(t)
	_, ok, err := capacity.Consumed(capacity.Requests{"bandwidth": q("1")}, capacity.Capacities{"memory": {Value: q("1")}}, false)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ok).To(BeFalse())
}
