// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
)

func TestParseOverrides(t *testing.T) {
	g := NewWithT(t)
	overrides, err := features.ParseOverrides([]string{"prioritized-list=absent", "core=present", "prioritized-list=absent"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(overrides).To(Equal(features.Overrides{features.PrioritizedList: false, features.Core: true}))
	for text, want := range map[string]string{
		"sharing=absent":             `override "sharing=absent": feature "sharing" is not known, use admin-access, api-v1beta1, api-v1beta2, `,
		"":                           `override "": feature "" is not known, use `,
		"core":                       `override "core" must be core=present or core=absent`,
		"core=true":                  `override "core=true" must be core=present or core=absent`,
		"prioritized-list=present":   `override "prioritized-list=present": feature prioritized-list cannot be both present and absent`,
		"prioritized-list = present": `override "prioritized-list = present": feature "prioritized-list " is not known`,
	} {
		_, err := features.ParseOverrides([]string{"prioritized-list=absent", text})
		NewWithT(t).Expect(err).To(MatchError(HavePrefix(want)), text)
	}
}

// The overrides are the opposite of what the cluster shows.
func TestDetectAppliesOverrides(t *testing.T) {
	g := NewWithT(t)
	client := cluster("resource.k8s.io/v1")
	answer(client, withoutSharing, nil)
	found, err := features.Detect(t.Context(), client, features.Known{}, features.Overrides{features.Partitions: false, features.SharedDevices: true})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found[features.Partitions]).To(Equal(features.Presence{
		Overridden: true, Source: "declared absent by the caller; the API server keeps spec.sharedCounters of a ResourceSlice (dry run)",
	}))
	g.Expect(found[features.SharedDevices]).To(Equal(features.Presence{
		Present: true, Overridden: true, Source: "declared present by the caller; the API server drops spec.devices[].allowMultipleAllocations of a ResourceSlice (dry run)",
	}))
	g.Expect(found[features.PrioritizedList].Overridden).To(BeFalse())
	g.Expect(found.Overridden()).To(Equal([]string{"consumable-capacity=present", "partitionable-devices=absent"}))
	g.Expect(found.Missing([]features.Feature{features.Partitions})).To(HavePrefix("feature partitionable-devices is absent: declared absent by the caller; "))
}

// If detection fails, only the overrides are known.
func TestDetectIgnoresErrorsOfOverriddenFeatures(t *testing.T) {
	forbidden := errors.New("slices are forbidden")
	g := NewWithT(t)
	client := cluster("resource.k8s.io/v1")
	answer(client, asItIs, forbidden)
	overrides := features.Overrides{
		features.Partitions: true, features.SharedDevices: false, features.DeviceTaints: true,
		features.ListAttributes: true, features.CompatibilityGroups: true, features.NodeAllocatable: true, features.BindingConditions: true,
		features.OptionalNodeOperations: true, features.FractionalRanges: true, features.PartitionTypes: true,
	}
	found, err := features.Detect(t.Context(), client, features.Known{}, overrides)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found[features.Partitions]).To(Equal(features.Presence{
		Present: true, Overridden: true, Source: "declared present by the caller; detection failed: detect whether a ResourceSlice keeps spec.sharedCounters: slices are forbidden",
	}))
	g.Expect(found[features.PrioritizedList].Present).To(BeTrue())
	_, err = features.Detect(t.Context(), client, features.Known{}, features.Overrides{features.Partitions: true})
	g.Expect(err).To(MatchError(forbidden), "shared devices are not declared")
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = features.Detect(ended, client, features.Known{}, overrides)
	g.Expect(err).To(HaveOccurred(), "the context is canceled")
}

func TestDetectReturnsAllFeatures(t *testing.T) {
	g := NewWithT(t)
	client := cluster("resource.k8s.io/v1", "resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1alpha3", "scheduling.k8s.io/v1beta1")
	client.Resources[0].APIResources = []metav1.APIResource{{Name: "devicetaintrules"}}
	client.Resources[3].APIResources = []metav1.APIResource{{Name: "resourcepoolstatusrequests"}}
	client.Resources[4].APIResources = []metav1.APIResource{{Name: "podgroups"}}
	answer(client, asItIs, nil)
	bundled := features.Presence{Present: true, Source: "it is the bundled scheduler"}
	known := features.Known{SharingAffinity: bundled, Gates: map[string]bool{
		"DRAResourceClaimDeviceStatus": true, "DRAResourceClaimGranularStatusAuthorization": true, "ResourceHealthStatus": true, "ResourceHealthStatusMessage": true, "DRADeviceTaintRules": true, "DRAResourcePoolStatus": true, "DRAExtendedResource": true, "DRAWorkloadResourceClaims": true,
	}}
	found, err := features.Detect(t.Context(), client, known, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found[features.NodeAllocatableScheduling]).To(Equal(features.Presence{Source: "the bundled scheduler does not support it"}))
	g.Expect(found[features.WorkloadClaimScheduling]).To(Equal(features.Presence{Source: "the bundled scheduler does not support it"}))
	// No cluster has these together with the others.
	others := slices.DeleteFunc(features.All(), func(f features.Feature) bool {
		return f == features.NodeAllocatableScheduling || f == features.WorkloadClaimScheduling || f == features.ControlPlaneController || f == features.ClassicAPI || f == features.ResourceClasses
	})
	g.Expect(found.Names()).To(Equal(others), "and in the same order")
	g.Expect(found[features.SharingAffinity]).To(Equal(bundled), "the API does not show it")
	found, err = features.Detect(t.Context(), client, known, features.Overrides{features.SharingAffinity: false})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found[features.SharingAffinity]).To(Equal(features.Presence{Overridden: true, Source: "declared absent by the caller; it is the bundled scheduler"}))
}
