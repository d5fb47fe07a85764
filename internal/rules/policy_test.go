// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

// Package lint tests each problem of a policy.
func TestPolicyProblems(t *testing.T) {
	for name, test := range map[string]struct {
		policy *resourceapi.CapacityRequestPolicy
		want   []string
	}{
		"no policy at all":   {&resourceapi.CapacityRequestPolicy{}, nil},
		"fractional steps":   {ranged("500m", "3500m", "1500m"), nil},
		"a maximum off step": {ranged("500m", "3", "1500m"), []string{"requestPolicy.validRange.step: max of 3 is not a multiple of 1500m from min 500m"}},
		"no minimum": {&resourceapi.CapacityRequestPolicy{Default: ptr.To(q("1")), ValidRange: &resourceapi.CapacityRequestPolicyRange{}},
			[]string{"requestPolicy.validRange.min: is missing"}},
		"a step above the capacity": {ranged("8", "", "3"), []string{"requestPolicy.validRange.step: one step from min is 11, above the capacity of 10"}},
	} {
		var got []string
		for _, problem := range rules.PolicyProblems(field.NewPath("requestPolicy"), test.policy, q("10")) {
			got = append(got, problem.Error())
		}
		NewWithT(t).Expect(got).To(Equal(test.want), name)
	}
}
