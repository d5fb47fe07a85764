// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongCaches are clusters whose kubelets or drivers take one claim for another, or know the
// first one of several only.
var wrongCaches = wrong.Table{
	"kubelet does not tell namespaces apart": {
		Options: wrong.With(fakecluster.KubeletMistakes{MixesUpNamespaces: true}), Spec: "claims-of-namespaces-are-apart",
		Want: []string{"the container of pod claim-0 should see the devices of its claim and no others"},
	},
	"kubelet has all claims unprepared when one of them ends": {
		Options: wrong.With(fakecluster.DriverMistakes{UnpreparesAll: true}), Spec: "claims-of-namespaces-are-apart",
		Want: []string{"claim claim should be prepared: true"},
	},
	"kubelet gives containers the devices that their claim had first": {
		Options: wrong.With(fakecluster.KubeletMistakes{KeepsDevices: true}), Spec: "reallocated-claim-is-prepared-anew",
		Want: []string{"the container of pod next should see the devices of its claim and no others"},
	},
	"kubelet reports the health of the first claim only": {
		Options: wrong.With(fakecluster.KubeletMistakes{MisstatesHealth: func(all []corev1.ResourceStatus) []corev1.ResourceStatus {
			return all[:min(1, len(all))]
		}}), Spec: "health-is-reported",
		Want: []string{"the kubelet should report the health of the devices of 2 claims for pod several", "the health is reported of [claim:devices-0]"},
	},
	"kubelet reports a change of health to one of the pods with a claim": {
		Options: wrong.With(fakecluster.KubeletMistakes{TellsFirstUser: true}), Spec: "health-of-shared-claim",
		Want: []string{"the kubelet should report that the devices of pod second are Unhealthy", "is Healthy"},
	},
	"driver repeats the health of its first device only": {
		Options: wrong.With(fakecluster.KubeletMistakes{MisstatesHealth: outdatesOthers()}), Spec: "health-stays-known",
		Want: []string{"the driver should report the health of the devices of pod pod again before its last report is outdated", "Unknown"},
	},
	"driver reports the status of devices of the first claim of a pod only": {
		Options: misstatesDevices(firstTimes(2)), Spec: "device-status-is-of-each-device",
		Want: []string{"driver mig.example.com should report the status of each of its devices of claim several-1", "the missing elements were"},
	},
	"driver writes metadata of the first claim of a container only": {
		Options: misplaces(func(path string, _ *fakecluster.MetadataFile) string {
			if strings.Contains(path, "/pod-1/") {
				return ""
			}
			return path
		}),
		Spec: "metadata-of-several-claims", Want: []string{"there should be one device metadata file for each request, and no others"},
	},
	"driver writes metadata without the name of the claim": {
		Options: misplaces(func(path string, _ *fakecluster.MetadataFile) string {
			return strings.Replace(path, "/pod-1/", "/pod-0/", 1)
		}),
		Spec: "metadata-of-several-claims", Want: []string{"/resourceclaims/pod-0/device/mig.example.com-metadata.json should have the allocated devices of the request"},
	},
	"driver keeps the metadata of the namesake in another namespace": {
		Options: wrong.With(fakecluster.ContainerMistakes{KeepsMetadata: true}), Spec: "metadata-of-namesakes",
		Want: []string{"should have the allocated devices of the request"},
	},
	"restarted driver does not publish devices in use": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartPublishesUse: func(d *resourceapi.Device, used bool) {
			if used {
				d.Name += "-busy"
			}
		}}), Spec: "used-devices-outlive-restart",
		Want: []string{"what driver mig.example.com publishes should not depend on which devices are in use", "is not published any more"},
	},
	"restarted driver publishes the capacity that is left": {
		Options: withNIC(fakecluster.DriverMistakes{RestartPublishesUse: func(d *resourceapi.Device, used bool) {
			for name, capacity := range d.Capacity {
				if used {
					capacity.Value = *resource.NewQuantity(capacity.Value.Value()/2, resource.DecimalSI)
					d.Capacity[name] = capacity
				}
			}
		}}), Spec: "used-shared-devices-outlive-restart",
		Want: []string{"what driver nic.example.com publishes should not depend on which devices are in use", "is published with"},
	},
}

// firstTimes returns a change of the status of devices that leaves it as it is so many times,
// and removes it later.
func firstTimes(n int) func(statuses) statuses {
	return func(all statuses) statuses {
		if n--; n < 0 {
			return nil
		}
		return all
	}
}

// outdatesOthers returns a change of the health in the status of a pod that makes that of all
// devices but the first one unknown when it was reported before.
func outdatesOthers() func([]corev1.ResourceStatus) []corev1.ResourceStatus {
	var first time.Time
	return func(all []corev1.ResourceStatus) []corev1.ResourceStatus {
		if first.IsZero() && len(all) > 0 {
			first = time.Now()
		}
		for _, status := range all {
			for i := range status.Resources {
				if i > 0 && time.Since(first) > time.Second {
					status.Resources[i].Health = corev1.ResourceHealthStatusUnknown
				}
			}
		}
		return all
	}
}
