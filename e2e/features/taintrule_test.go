// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features_test

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
)

// Since Kubernetes 1.35, the rules need their feature gate and an API version
// that is not served by default until 1.37.
func TestDetectDeviceTaintRules(t *testing.T) {
	const gate = "DRADeviceTaintRules"
	for name, test := range map[string]struct {
		gates  map[string]bool
		served string
		want   features.Presence
	}{
		"1.37":              {map[string]bool{gate: true}, "resource.k8s.io/v1", features.Presence{Present: true, Source: "the API server reports the feature gate DRADeviceTaintRules as enabled"}},
		"1.36":              {map[string]bool{gate: true}, "resource.k8s.io/v1beta2", features.Presence{Present: true, Source: "the API server reports the feature gate DRADeviceTaintRules as enabled"}},
		"not served":        {map[string]bool{gate: true}, "", features.Presence{Source: "the API server serves DeviceTaintRules in no version"}},
		"served but off":    {map[string]bool{gate: false}, "resource.k8s.io/v1beta2", features.Presence{Source: "the API server reports the feature gate DRADeviceTaintRules as disabled"}},
		"no gates reported": {nil, "resource.k8s.io/v1", features.Presence{Source: "the API server does not report the feature gate DRADeviceTaintRules"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1", "resource.k8s.io/v1beta2")
			for _, version := range client.Resources {
				if version.GroupVersion == test.served {
					version.APIResources = []metav1.APIResource{{Name: "devicetaintrules"}}
				}
			}
			answer(client, asItIs, nil)
			found, err := features.Detect(t.Context(), client, features.Known{Gates: test.gates}, nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found[features.DeviceTaintRules]).To(Equal(test.want))
		})
	}
}
