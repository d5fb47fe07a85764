// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/nodeagent/api"
)

// misregisters returns a cluster whose driver registers incorrectly.
func misregisters(change func(*api.Registration)) fakecluster.Options {
	return wrong.With(fakecluster.PluginMistakes{Misregisters: func(found *api.Registrations) { change(&found.Plugins[0]) }})
}

// misreports returns a cluster whose driver reports a wrong health of devices.
func misreports(change func(*api.HealthReport)) fakecluster.Options {
	return wrong.With(fakecluster.PluginMistakes{Misreports: change})
}

// wrongRegistrations are clusters whose drivers register incorrectly, or do not
// serve what they register.
var wrongRegistrations = wrong.Table{
	"driver unprepares nothing for an older service": {
		Options: wrong.With(fakecluster.PluginMistakes{IgnoresOlderUnprepare: true}), Spec: "offered-services-are-served",
		Want: []string{"should remove the CDI devices of claims that are unprepared", "is still defined in"},
	},
	"driver registers under another name": {
		Options: misregisters(func(r *api.Registration) { r.Name = "gpu.example.com" }), Spec: "plugin-registers-itself",
		Want: []string{"driver mig.example.com on node node-1 should have registered with the kubelet under its name"},
	},
	"driver registers as a plugin of another type": {
		Options: misregisters(func(r *api.Registration) { r.Type = "DevicePlugin" }), Spec: "plugin-registers-itself",
		Want: []string{"should register as a plugin of the type DRAPlugin", "DevicePlugin"},
	},
	"driver offers only a version that kubelets do not know": {
		Options: misregisters(func(r *api.Registration) { r.Versions = []string{"v1alpha3.DRAPlugin"} }), Spec: "plugin-registers-itself",
		Want: []string{"should offer one of the services", "v1alpha3.DRAPlugin"},
	},
	"driver does not serve its socket": {
		Options: misanswers(func(c *fakecluster.PluginCall) {
			*c.Answer = api.Answer{Code: "Unavailable", Message: "connection refused"}
		}), Spec: "plugin-registers-itself",
		Want: []string{"should unprepare never-created", "failed with Unavailable: connection refused"},
	},
	"driver offers an older service that it does not serve": {
		Options: misanswersBy("v1beta1.DRAPlugin", func(c *fakecluster.PluginCall) { *c.Answer = api.Answer{Service: c.Service, Code: "Unimplemented"} }), Spec: "offered-services-are-served",
		Want: []string{"should prepare claim", "the call of v1beta1.DRAPlugin failed with Unimplemented"},
	},
	"driver returns no CDI devices by an older service": {
		Options: misanswersBy("v1beta1.DRAPlugin", eachDevice(func(d *api.Device) { d.CDIDevices = nil })), Spec: "offered-services-are-served",
		Want: []string{"should return the same devices as before, with CDI devices if they had some, despite being called by v1beta1.DRAPlugin"},
	},
	"driver reports devices as healthy that it does not offer": {
		Options: misreports(func(r *api.HealthReport) { r.Devices[0].Device = "gpu-9" }), Spec: "health-is-of-offered-devices",
		Want: []string{"device node-1/gpu-9 is reported as healthy, and no ResourceSlice offers it"},
	},
	"driver reports multi-host devices in the pool of the node": {
		Options: fakecluster.Options{Nodes: 4, TPU: "tpu.example.com", Mistakes: misreports(func(r *api.HealthReport) {
			for i := range r.Devices {
				r.Devices[i].Pool = "node-1"
			}
		}).Mistakes}, Spec: "multi-host-health-is-of-offered-devices",
		Want: []string{"device node-1/tpu-", "is reported as healthy, and no ResourceSlice offers it"},
	},
	"driver reports the health of a device twice": {
		Options: misreports(func(r *api.HealthReport) { r.Devices = append(slices.Clone(r.Devices), r.Devices[0]) }), Spec: "health-is-of-offered-devices",
		Want: []string{"device node-1/gpu-0-mig-1g-5gb-0 is in the report twice"},
	},
	"driver offers a health service that fails": {
		Options: misreports(func(r *api.HealthReport) { r.Code, r.Message, r.Devices = "Internal", "no sensors", nil }), Spec: "health-is-of-offered-devices",
		Want: []string{"the call of v1.DRAResourceHealth ended with Internal: no sensors"},
	},
}
