// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/features"
)

// An API server that drops a field may find the rest of the slice invalid. Any
// other error does not show whether the feature is present.
func TestDetectByTheRestOfASlice(t *testing.T) {
	device := field.NewPath("spec", "devices").Index(0)
	for name, test := range map[string]struct {
		feature features.Feature
		refused *field.Path
		want    features.Presence
		err     string
	}{
		"lists kept":     {feature: features.ListAttributes, want: features.Presence{Present: true, Source: "the API server keeps spec.devices[].attributes{}.strings of a ResourceSlice (dry run)"}},
		"lists dropped":  {feature: features.ListAttributes, refused: device.Child("attributes").Key("probe"), want: features.Presence{Source: "the API server drops spec.devices[].attributes{}.strings of a ResourceSlice (dry run)"}},
		"another field":  {feature: features.ListAttributes, refused: device.Child("name"), err: "detect whether a ResourceSlice keeps spec.devices[].attributes{}.strings"},
		"groups kept":    {feature: features.CompatibilityGroups, want: features.Presence{Present: true, Source: "the API server keeps spec.devices[].consumesCounters[].compatibilityGroups of a ResourceSlice (dry run)"}},
		"groups in 1.34": {feature: features.CompatibilityGroups, refused: device.Child("consumesCounters").Index(0).Child("counterSet"), want: features.Presence{Source: "the API server drops spec.devices[].consumesCounters[].compatibilityGroups of a ResourceSlice (dry run)"}},
		"ranges kept":    {feature: features.FractionalRanges, want: features.Presence{Present: true, Source: "the API server keeps spec.devices[].capacity{}.requestPolicy.validRange with fractions of a ResourceSlice (dry run)"}},
		"ranges rounded": {feature: features.FractionalRanges, refused: device.Child("capacity").Key("probe").Child("requestPolicy", "validRange", "step"), want: features.Presence{Source: "the API server drops spec.devices[].capacity{}.requestPolicy.validRange with fractions of a ResourceSlice (dry run)"}},
		"types kept":     {feature: features.PartitionTypes, want: features.Presence{Present: true, Source: "the API server keeps spec.partitionTypeAttribute of a ResourceSlice (dry run)"}},
		"types in 1.34":  {feature: features.PartitionTypes, refused: device.Child("consumesCounters").Index(0).Child("counterSet"), want: features.Presence{Source: "the API server drops spec.partitionTypeAttribute of a ResourceSlice (dry run)"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1")
			client.PrependReactor("create", "resourceslices", func(a clienttesting.Action) (bool, runtime.Object, error) {
				slice := a.(clienttesting.CreateActionImpl).GetObject().(*resourceapi.ResourceSlice)
				if test.refused != nil && uses(test.feature, slice) {
					return true, nil, invalid(field.Invalid(test.refused, "", "it is not valid"))
				}
				return true, slice, nil
			})
			found, err := features.Detect(t.Context(), client, features.Known{}, nil)
			if test.err != "" {
				g.Expect(err).To(MatchError(HavePrefix(test.err)))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found[test.feature]).To(Equal(test.want))
		})
	}
}

// uses reports whether a slice has the field of a feature.
func uses(feature features.Feature, slice *resourceapi.ResourceSlice) bool {
	if len(slice.Spec.Devices) == 0 {
		return false
	}
	device := slice.Spec.Devices[0]
	switch feature {
	case features.ListAttributes:
		return len(device.Attributes["probe"].StringValues) > 0
	case features.CompatibilityGroups, features.PartitionTypes:
		return len(device.ConsumesCounters) > 0
	default:
		return device.Capacity["probe"].RequestPolicy != nil
	}
}

func TestDetectDerivedAttributes(t *testing.T) {
	for name, test := range map[string]struct {
		kept bool
		why  string
	}{
		"kept":    {true, "the API server keeps spec.devices.requests[].exactly.derivedAttributes of a ResourceClaim (dry run)"},
		"dropped": {false, "the API server drops spec.devices.requests[].exactly.derivedAttributes of a ResourceClaim (dry run)"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1")
			answer(client, asItIs, nil)
			client.PrependReactor("create", "resourceclaims", func(a clienttesting.Action) (bool, runtime.Object, error) {
				claim := a.(clienttesting.CreateActionImpl).GetObject().(*resourceapi.ResourceClaim).DeepCopy()
				if exactly := claim.Spec.Devices.Requests[0].Exactly; exactly != nil && !test.kept {
					exactly.DerivedAttributes = nil
				}
				return true, claim, nil
			})
			found, err := features.Detect(t.Context(), client, features.Known{}, nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found[features.DerivedAttributes]).To(Equal(features.Presence{Present: test.kept, Source: test.why}))
		})
	}
}
