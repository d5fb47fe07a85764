// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	apiversion "k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
)

// Until 1.34, shared counters were defined in the slice of the devices that consume them (KEP-4815). Since then
// devices in such a slice are ignored. A scheduler that emulates an older release must not ignore them.
func TestCountersInTheSliceOfTheirDevicesDependOnTheEmulatedRelease(t *testing.T) {
	for release, offered := range map[string]bool{"1.34": true, "1.35": false, "1.37": false} {
		t.Run(release, func(t *testing.T) {
			featuregatetesting.SetFeatureGateEmulationVersionDuringTest(t, utilfeature.DefaultFeatureGate, apiversion.MustParse(release))
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.DRAPartitionableDevices, true)
			memory := map[string]resourceapi.Counter{"memory": {Value: resource.MustParse("10Gi")}}
			slice := gpus("a", 2, func(d *resourceapi.Device) {
				d.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "gpu", Counters: memory}}
			})
			slice.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "gpu", Counters: memory}}
			w := newWorld(t, node("a"), deviceClass(), slice, claimOf("c1", request("req", 1)), claimOf("c2", request("req", 1)))
			if !offered {
				w.Expect(w.begin(podWith("p", "c1")).schedule()).NotTo(succeed())
				return
			}
			w.mustBind(podWith("p", "c1"))
			w.Expect(w.devicesOf("c1")).To(Equal([]string{"a/gpu-0"}))
			w.Expect(w.begin(podWith("q", "c2")).schedule()).To(unschedulableBecause(cannotAllocate), "the counter is used up")
		})
	}
}
