// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features_test

import (
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
)

// Reports about pools need their feature gate and an API version that is not
// served by default.
func TestDetectPoolStatus(t *testing.T) {
	const gate = "DRAResourcePoolStatus"
	for name, test := range map[string]struct {
		on     bool
		served string
		want   features.Presence
	}{
		"1.36":            {true, "resourcepoolstatusrequests", features.Presence{Present: true, Source: "the API server reports the feature gate DRAResourcePoolStatus as enabled"}},
		"another version": {true, "", features.Presence{Source: "the API server does not serve ResourcePoolStatusRequests in resource.k8s.io/v1alpha3"}},
		"not served":      {true, "devicetaintrules", features.Presence{Source: "the API server does not serve ResourcePoolStatusRequests in resource.k8s.io/v1alpha3"}},
		"served but off":  {false, "resourcepoolstatusrequests", features.Presence{Source: "the API server reports the feature gate DRAResourcePoolStatus as disabled"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1")
			if test.served != "" {
				client.Resources = append(client.Resources, &metav1.APIResourceList{
					GroupVersion: "resource.k8s.io/v1alpha3", APIResources: []metav1.APIResource{{Name: test.served}},
				})
			}
			answer(client, asItIs, nil)
			found, err := features.Detect(t.Context(), client, features.Known{Gates: map[string]bool{gate: test.on}}, nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found[features.PoolStatus]).To(Equal(test.want))
		})
	}
}
