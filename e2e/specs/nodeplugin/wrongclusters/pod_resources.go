// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/e2e/suite"
)

// mislistsPods returns a cluster whose kubelets list pods incorrectly. A pod that
// runs has two containers, of which the first one uses a claim for two devices.
func mislistsPods(change func(*api.PodResources)) wrong.Cluster {
	return wrong.Cluster{
		Options: wrong.With(fakecluster.KubeletMistakes{MislistsPods: func(p *api.PodResources) {
			if p.Listed {
				change(p)
			}
		}}),
		Spec: "pod-resources-list-devices",
	}
}

// misreturnsPod returns a cluster whose kubelets return single pods incorrectly, and lists
// of them correctly.
func misreturnsPod(change func(*api.PodResources), want ...string) wrong.Cluster {
	return saying(wrong.Cluster{
		Options: wrong.With(fakecluster.KubeletMistakes{MisreturnsPods: func(p *api.PodResources) {
			if p.Listed {
				change(p)
			}
		}}),
		Spec: "pod-resources-get-devices",
	}, want...)
}

// saying adds parts of the reason of the failure.
func saying(c wrong.Cluster, want ...string) wrong.Cluster {
	c.Want = append([]string{"the kubelet of node node-1 should list the devices of claim claim"}, want...)
	return c
}

// wrongPodResources are clusters whose kubelets list the devices of pods
// incorrectly.
var wrongPodResources = wrong.Table{
	"kubelet lists no sidecars": {
		Options: wrong.With(fakecluster.KubeletMistakes{ListsNoSidecars: true}), Spec: "pod-resources-list-sidecars",
		Want: []string{"the kubelet of node node-1 should list the devices of claim claim for container sidecar of pod pod", "container sidecar is not in the list"},
	},
	"restarted kubelet lists no devices of pods that it found": {
		Options: wrong.With(fakecluster.KubeletMistakes{RestartListsNothing: true}), Spec: "pod-resources-after-kubelet-restart",
		Want: []string{"the kubelet of node node-1 should list the devices of claim claim", "claim claim is listed with the devices [], and the driver returned"},
	},
	"kubelet lists no pods":                        saying(mislistsPods(func(p *api.PodResources) { *p = api.PodResources{} }), "pod pod is not in the list"),
	"kubelet lists no containers":                  saying(mislistsPods(func(p *api.PodResources) { p.Containers = nil }), "is not in the list"),
	"kubelet lists no claims":                      saying(mislistsPods(func(p *api.PodResources) { p.Containers[0].Claims = nil }), "should have claim draconform-test-1/claim and no others"),
	"kubelet lists another claim":                  saying(mislistsPods(func(p *api.PodResources) { p.Containers[0].Claims[0].Name = "another" }), "should have claim draconform-test-1/claim and no others"),
	"kubelet lists the claim in another namespace": saying(mislistsPods(func(p *api.PodResources) { p.Containers[0].Claims[0].Namespace = "default" }), "should have claim draconform-test-1/claim and no others"),
	"kubelet lists the first device of a claim only": saying(mislistsPods(func(p *api.PodResources) {
		p.Containers[0].Claims[0].Devices = p.Containers[0].Claims[0].Devices[:1]
	}), "claim claim is listed with the devices", "and the driver returned"),
	"kubelet lists devices under the name of the first": saying(mislistsPods(func(p *api.PodResources) {
		devices := p.Containers[0].Claims[0].Devices
		devices[1].Device.Device = devices[0].Device.Device
	}), "claim claim is listed with the devices", "and the driver returned"),
	"kubelet lists devices of another pool":   saying(mislistsPods(func(p *api.PodResources) { p.Containers[0].Claims[0].Devices[0].Pool = "pool" }), "claim claim is listed with device pool/", "which is not allocated to it"),
	"kubelet lists devices of another driver": saying(mislistsPods(func(p *api.PodResources) { p.Containers[0].Claims[0].Devices[0].Driver = "another" }), "is listed with driver another"),
	"kubelet lists no CDI devices":            saying(mislistsPods(func(p *api.PodResources) { p.Containers[0].Claims[0].Devices[0].CDIDevices = nil }), "is listed with the CDI devices", "and the driver returned"),
	"kubelet lists the claims of a pod for all containers": saying(mislistsPods(func(p *api.PodResources) { p.Containers[1].Claims = p.Containers[0].Claims }),
		"container other, which uses no claim, has"),
	"kubelet returns no claims of a single pod": misreturnsPod(func(p *api.PodResources) { p.Containers[0].Claims = nil },
		"should have claim draconform-test-1/claim and no others"),
	"kubelet returns the claims of a single pod for all containers": misreturnsPod(func(p *api.PodResources) { p.Containers[1].Claims = p.Containers[0].Claims },
		"container other, which uses no claim, has"),
	"kubelet does not return single pods": misreturnsPod(func(p *api.PodResources) { *p = api.PodResources{} }, "pod pod in namespace draconform-test-1 not found"),
	"kubelet lists a claim for one of its pods only": {
		Options: wrong.With(fakecluster.KubeletMistakes{ListsFirstUser: true}), Spec: "pod-resources-list-devices",
		Want: []string{"for container workload of pod second", "should have claim draconform-test-1/claim and no others"},
	},
	"kubelet lists shares as devices": {
		Options: withNIC(wrong.With(fakecluster.KubeletMistakes{MislistsPods: withoutShares})), Spec: "pod-resources-list-shares",
		Want: []string{"the kubelet of node node-1 should list the devices of claim claim", "claim claim is listed with device node-1/nic-", "which is not allocated to it"},
	},
	"kubelet drops the IDs of shares from all answers": {
		Options: withNIC(wrong.With(
			fakecluster.KubeletMistakes{MislistsPods: withoutShares},
			fakecluster.PluginMistakes{Misanswers: eachDevice(func(d *api.Device) { d.ShareID = "" })},
		)), Spec: "pod-resources-list-shares",
		Want: []string{"the kubelet of node node-1 should list the devices of claim claim", "claim claim is listed with device node-1/nic-", "which is not allocated to it"},
	},
	"kubelet has the devices of each response": {
		Options: wrong.With(fakecluster.KubeletMistakes{RepeatsDevices: true}), Spec: "pod-resources-after-failed-prepare",
		Want: []string{"the kubelet of node node-1 should list each of the 2 devices of pod pod once"},
	},
	"kubelet keeps listing a pod": {
		Options: wrong.With(fakecluster.KubeletMistakes{MislistsPods: func(p *api.PodResources) { p.Listed = true }}), Spec: "pod-resources-list-devices",
		Want: []string{"the kubelet of node node-1 should not list pod pod, which is gone"},
	},
}

// withoutShares makes shares in a list whole devices.
func withoutShares(p *api.PodResources) {
	for _, container := range p.Containers {
		for _, claim := range container.Claims {
			for i := range claim.Devices {
				claim.Devices[i].ShareID = ""
			}
		}
	}
}

// withoutShareIDs are clusters whose drivers do not return the IDs of shares.
var withoutShareIDs = wrong.Table{
	"driver without IDs of shares": {
		Options: fakecluster.Options{NIC: "nic.example.com", WithoutShareIDs: true}, Spec: "pod-resources-list-shares", Outcome: suite.NotApplicable,
		Want: []string{"needs a driver that returns the IDs of shares"},
	},
}
