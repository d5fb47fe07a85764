// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// misstatesHealth returns the options of a cluster with changed health of
// devices in the status of pods.
func misstatesHealth(change func(*corev1.ResourceStatus)) fakecluster.Options {
	return wrong.With(fakecluster.KubeletMistakes{MisstatesHealth: func(all []corev1.ResourceStatus) []corev1.ResourceStatus {
		for i := range all {
			change(&all[i])
		}
		return all
	}})
}

// misstatesHealthOfDevices is misstatesHealth for each device.
func misstatesHealthOfDevices(change func(*corev1.ResourceHealth)) fakecluster.Options {
	return misstatesHealth(func(s *corev1.ResourceStatus) {
		for i := range s.Resources {
			change(&s.Resources[i])
		}
	})
}

// outdatesHealth returns the mistakes of kubelets to which the health of devices is
// known for some time only.
func outdatesHealth(after time.Duration) fakecluster.KubeletMistakes {
	var first time.Time
	return fakecluster.KubeletMistakes{MisstatesHealth: func(all []corev1.ResourceStatus) []corev1.ResourceStatus {
		if first.IsZero() && len(all) > 0 {
			first = time.Now()
		}
		for _, status := range all {
			for i := range status.Resources {
				if time.Since(first) > after {
					status.Resources[i].Health = corev1.ResourceHealthStatusUnknown
				}
			}
		}
		return all
	}}
}

// wrongHealth are clusters that report the health of devices incorrectly.
var wrongHealth = wrong.Table{
	"kubelet reports no health": {
		Options: misstatesHealth(func(s *corev1.ResourceStatus) { s.Resources = nil }), Spec: "health-is-reported",
		Want: []string{"driver mig.example.com should have what its driver file states, capabilities.health is yes", "the health of the devices of pod pod did not become known"},
	},
	"kubelet reports health by the name of the claim object": {
		Options: misstatesHealth(func(s *corev1.ResourceStatus) { s.Name = "claim:pod" }), Spec: "health-is-reported",
		Want: []string{"the status should name the claim as the pod does", "claim:devices-0"},
	},
	"kubelet reports the health of a device of no claim": {
		Options: misstatesHealth(func(s *corev1.ResourceStatus) {
			s.Resources[0].ResourceID = "mig.example.com/node-1/gpu-0-mig-1g-5gb-6"
		}),
		Spec: "health-is-reported", Want: []string{"only devices of the claim should be reported", "gpu-0-mig-1g-5gb-6"},
	},
	"kubelet reports more devices than the claim has": {
		Options: misstatesHealth(func(s *corev1.ResourceStatus) {
			s.Resources = append(s.Resources, corev1.ResourceHealth{ResourceID: "fake.example.com/claim=another", Health: corev1.ResourceHealthStatusHealthy})
		}),
		Spec: "health-is-reported", Want: []string{"only the devices of the claim should be reported"},
	},
	"kubelet does not report that a device has become unhealthy": {
		Options: wrong.With(fakecluster.KubeletMistakes{KeepsHealth: true}), Spec: "unhealthy-device-is-reported",
		Want: []string{"the kubelet should report that the devices of pod user-0 are Unhealthy", "is Healthy"},
	},
	"kubelet reports unknown health as the last known one": {
		Options: misstatesHealthOfDevices(func(h *corev1.ResourceHealth) {
			if h.Health == corev1.ResourceHealthStatusUnknown {
				h.Health = corev1.ResourceHealthStatusHealthy
			}
		}),
		Spec: "unknown-health-is-reported", Want: []string{"the kubelet should report that the devices of pod user-0 are Unknown", "is Healthy"},
	},
	"kubelet reports no messages about health": {
		Options: misstatesHealthOfDevices(func(h *corev1.ResourceHealth) { h.Message = nil }), Spec: "health-message-is-reported",
		Want: []string{`the kubelet should report the driver's message "its memory has errors" about the devices of pod user-0`, `is ""`},
	},
	"kubelet keeps the first message about health": {
		Options: misstatesHealthOfDevices(func(h *corev1.ResourceHealth) {
			if h.Message != nil {
				h.Message = ptr.To("its memory has errors")
			}
		}),
		Spec: "health-message-is-reported", Want: []string{`the kubelet should report the driver's message "its link is down"`, `is "its memory has errors"`},
	},
	"kubelet drops long messages about health": {
		Options: misstatesHealthOfDevices(func(h *corev1.ResourceHealth) {
			if len(ptr.Deref(h.Message, "")) > 100 {
				h.Message = nil
			}
		}),
		Spec: "health-message-is-reported", Want: []string{"the kubelet should report the beginning of the driver's message about the devices of pod user-0, which is too long"},
	},
	"kubelet keeps a message about health that was withdrawn": {
		Options: misstatesHealthOfDevices(func(h *corev1.ResourceHealth) {
			if h.Message == nil {
				h.Message = ptr.To("its link is down")
			}
		}),
		Spec: "health-message-is-reported", Want: []string{`the message about the devices of pod other-0 should stay ""`},
	},
	"kubelet reports the health of the whole claim for a container with one request": {
		Options: wrong.With(fakecluster.KubeletMistakes{ReportsHealthOfClaim: true}), Spec: "health-is-of-own-request",
		Want: []string{"the kubelet should report that the device of container one is Healthy", "want the health of one device of claim:devices-0/one"},
	},
	"kubelet reports the health of a request under the name of its claim": {
		Options: misstatesHealth(func(s *corev1.ResourceStatus) { s.Name = "claim:devices-0" }), Spec: "health-is-of-own-request",
		Want: []string{"the kubelet should report that the device of container one is Healthy", "want the health of one device of claim:devices-0/one"},
	},
	"kubelet does not watch the health of devices after its restart": {
		Options: wrong.With(fakecluster.KubeletMistakes{WatchesHealthOnce: true}), Spec: "health-outlives-kubelet-restart",
		Want: []string{"the kubelet should report that the devices of pod user-0 are Healthy", "is Unhealthy"},
	},
	"kubelet does not watch the health of devices after a restart of the driver": {
		Options: wrong.With(fakecluster.KubeletMistakes{WatchesHealthOnce: true}), Spec: "health-follows-driver-restart",
		Want: []string{"the kubelet should report that the devices of pod user-0 are Healthy", "is Unhealthy"},
	},
	"driver reports health too rarely": {
		Options: fakecluster.Options{Mistakes: fakecluster.MistakesOf(outdatesHealth(time.Second))}, Spec: "health-stays-known",
		Want: []string{"the driver should report the health of the devices of pod pod again before its last report is outdated", "Unknown"},
	},
	"kubelet keeps the health that an absent driver has reported last": {
		Options: wrong.With(fakecluster.KubeletMistakes{KeepsHealthOfAbsent: true}), Spec: "health-of-absent-driver-is-unknown",
		Want: []string{"the kubelet should report that the health of the devices of pod", "is unknown, because their driver is not on the node"},
	},
	"kubelet keeps the health of a device that is not reported any more": {
		Options: wrong.With(fakecluster.KubeletMistakes{KeepsUnreported: true}), Spec: "health-that-is-not-renewed-expires",
		Want: []string{"the kubelet should report that the health of the devices of pod user-0 is unknown, because their driver does not report it any more", "is Healthy"},
	},
	"driver reports one unhealthy device at most": {
		Options: wrong.With(fakecluster.DriverMistakes{ReportsFirstUnhealthy: true}), Spec: "unhealthy-device-is-reported",
		Want: []string{" are Unhealthy", "is Healthy"},
	},
	"kubelet reports no health of generated claims": {
		Options: wrong.With(fakecluster.KubeletMistakes{MisstatesHealth: func(all []corev1.ResourceStatus) []corev1.ResourceStatus {
			return slices.DeleteFunc(all, func(s corev1.ResourceStatus) bool { return s.Name == "claim:generated" })
		}}), Spec: "unhealthy-device-is-reported",
		Want: []string{"the kubelet should report that the devices of pod other are Healthy", "the health of devices is not reported"},
	},
	"driver reports no health of shared devices": {
		Options: withNIC(fakecluster.DriverMistakes{ReportsNoShares: true}), Spec: "shared-device-health-is-reported",
		Want: []string{"the kubelet should report that the devices of pod first-0 are Healthy", "is Unknown"},
	},
	"driver reports all devices as unhealthy": {
		Options: wrong.With(fakecluster.DriverMistakes{SpreadsHealth: true}), Spec: "unhealthy-device-is-reported",
		Want: []string{"the devices of pod other should stay Healthy: only the device of the other pod is unhealthy"},
	},
}
