package features_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
)

// Kubernetes 1.34 serves the API even if the feature gate is disabled.
func TestDetectCoreGate(t *testing.T) {
	for name, test := range map[string]struct {
		gates map[string]bool
		want  bool
	}{
		"off":               {map[string]bool{"DynamicResourceAllocation": false}, false},
		"on":                {map[string]bool{"DynamicResourceAllocation": true}, true},
		"not known":         {map[string]bool{"DRAAdminAccess": false}, true},
		"no gates reported": {nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1")
			answer(client, asItIs, nil)
			found, err := features.Detect(t.Context(), client, features.Known{Gates: test.gates}, nil)
			g.Expect(err).NotTo(HaveOccurred())
			for _, feature := range []features.Feature{features.Core, features.Partitions, features.SharedDevices, features.PrioritizedList} {
				g.Expect(found[feature].Present).To(Equal(test.want))
			}
		})
	}
}

// No dry run shows whether the device status is supported, so the gate decides.
func TestDetectByGate(t *testing.T) {
	for name, test := range map[string]struct {
		gates map[string]bool
		want  features.Presence
	}{
		"on":                {map[string]bool{"DRAResourceClaimDeviceStatus": true}, features.Presence{Present: true, Source: "the API server reports the feature gate DRAResourceClaimDeviceStatus as enabled"}},
		"off":               {map[string]bool{"DRAResourceClaimDeviceStatus": false}, features.Presence{Source: "the API server reports the feature gate DRAResourceClaimDeviceStatus as disabled"}},
		"not known":         {map[string]bool{"DRAAdminAccess": true}, features.Presence{Source: "the API server does not report the feature gate DRAResourceClaimDeviceStatus"}},
		"no gates reported": {nil, features.Presence{Source: "the API server does not report the feature gate DRAResourceClaimDeviceStatus"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster("resource.k8s.io/v1")
			answer(client, asItIs, nil)
			found, err := features.Detect(t.Context(), client, features.Known{Gates: test.gates}, nil)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found[features.DeviceStatus]).To(Equal(test.want))
		})
	}
}
