// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"fmt"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/fakedriver/calls"
)

// misanswers returns a cluster whose driver returns changed answers.
func misanswers(change func(*fakecluster.PluginCall)) fakecluster.Options {
	return wrong.With(fakecluster.PluginMistakes{Misanswers: change})
}

// misanswersTo is [misanswers] for the calls of one method.
func misanswersTo(method string, change func(*fakecluster.PluginCall)) fakecluster.Options {
	return misanswers(func(c *fakecluster.PluginCall) {
		if c.Method == method {
			change(c)
		}
	})
}

// misanswersBy is [misanswers] for the calls of one service.
func misanswersBy(service string, change func(*fakecluster.PluginCall)) fakecluster.Options {
	return misanswers(func(c *fakecluster.PluginCall) {
		if c.Service == service {
			change(c)
		}
	})
}

// eachDevice changes all devices in an answer.
func eachDevice(change func(*api.Device)) func(*fakecluster.PluginCall) {
	return func(c *fakecluster.PluginCall) {
		for _, answer := range c.Answer.Claims {
			for i := range answer.Devices {
				change(&answer.Devices[i])
			}
		}
	}
}

// withNIC adds a second driver to a cluster.
func withNIC(o fakecluster.Options) fakecluster.Options {
	o.NIC = "nic.example.com"
	return o
}

// wrongAnswers are clusters whose drivers return devices incorrectly.
var wrongAnswers = wrong.Table{
	"driver returns devices that are not allocated": {
		Options: misanswers(eachDevice(func(d *api.Device) { d.Device = "gpu-0" })), Spec: "answers-name-allocated-devices",
		Want: []string{"should return only its devices that are allocated to claim claim", "node-1/gpu-0"},
	},
	"driver returns devices of another pool": {
		Options: misanswers(eachDevice(func(d *api.Device) { d.Pool = "pool" })), Spec: "answers-name-allocated-devices",
		Want: []string{"should return only its devices that are allocated to claim claim", "pool/gpu-0"},
	},
	"driver returns devices for the wrong request": {
		Options: misanswers(eachDevice(func(d *api.Device) { d.Requests = []string{"one"} })), Spec: "answers-name-allocated-devices",
		Want: []string{"the kubelet finds the devices of a container by the name of a request", "two"},
	},
	"driver returns CDI devices for the first request only": {
		Options: misanswers(eachDevice(func(d *api.Device) {
			if d.Requests[0] == "two" {
				d.CDIDevices = nil
			}
		})), Spec: "answers-name-allocated-devices",
		Want: []string{"should return CDI devices for each request of claim claim, because they are for equal devices"},
	},
	"driver returns the name of the subrequest, too": {
		Options: misanswers(eachDevice(func(d *api.Device) { d.Requests[0] += "/first" })), Spec: "answers-name-the-request",
		Want: []string{"by the name of a request, without the subrequest", "list/first"},
	},
	"driver returns only the name of the subrequest": {
		Options: misanswers(eachDevice(func(d *api.Device) { d.Requests[0] = "first" })), Spec: "answers-name-the-request",
		Want: []string{"by the name of a request, without the subrequest", "first"},
	},
	"driver returns other CDI devices than the kubelet has stored": {
		Options: wrong.With(fakecluster.DriverMistakes{PreparesOthersAgain: true}), Spec: "prepare-again-while-pod-runs",
		Want: []string{"should return the same devices and CDI devices as before, despite being called again"},
	},
	"driver returns devices of another driver": {
		Options: withNIC(wrong.With(fakecluster.PluginMistakes{ReturnsAllDrivers: true})), Spec: "answers-omit-other-drivers",
		Want: []string{"driver mig.example.com on node node-1 should return only its devices that are allocated to claim claim", "nic-0"},
	},
	"driver does not tell shares of a device apart": {
		Options: withNIC(wrong.With(fakecluster.DriverMistakes{ConfusesShares: true})), Spec: "shares-of-a-request-are-prepared",
		Want: []string{"while waiting until pod both runs", "duplicate device nic-"},
	},
	"driver returns its devices for the request of another driver": {
		Options: withNIC(misanswers(eachDevice(func(d *api.Device) { d.Requests = append(d.Requests, "other") }))), Spec: "answers-omit-other-drivers",
		Want: []string{"the kubelet finds the devices of a container by the name of a request", "other"},
	},
	"driver returns other CDI devices for a prepared claim": {
		Options: wrong.With(fakecluster.DriverMistakes{PreparesOthersAgain: true}), Spec: "kubelet-and-driver-agree",
		Want: []string{"should return the same devices and CDI devices as before, despite pods that came and went", "-again"},
	},
	"kubelet keeps claims of deleted pods in its checkpoint": {
		Options: wrong.With(fakecluster.KubeletMistakes{KeepsCheckpoint: true}), Spec: "kubelet-and-driver-agree",
		Want: []string{"the kubelet of node node-1 should have stored the claims of running pods, stays, and no others", "the checkpoint has other claims"},
	},
	"driver writes the status of devices each time": {
		Options: wrong.With(fakecluster.DriverMistakes{RenewsStatus: true}), Spec: "device-status-keeps-times",
		Want: []string{"the conditions of devices in claim claim should keep their transition times despite being prepared again", "condition Ready of device mig.example.com/node-1/"},
	},
	"driver returns other devices each time": {
		Options: misanswersTo(calls.Prepare, numbered()), Spec: "prepare-again-while-pod-runs",
		Want: []string{"should return the same devices and CDI devices as before, despite being called again"},
	},
	"driver rejects a claim that is prepared": {
		Options: wrong.With(fakecluster.DriverMistakes{PreparesOnce: true}), Spec: "prepare-again-while-pod-runs",
		Want: []string{"should prepare claim and answer for no other claim", "is prepared already"},
	},
}

// numbered appends the number of the call to CDI devices.
func numbered() func(*fakecluster.PluginCall) {
	n := 0
	return func(c *fakecluster.PluginCall) {
		n++
		eachDevice(func(d *api.Device) { d.CDIDevices = []string{fmt.Sprintf("%s-%d", d.CDIDevices[0], n)} })(c)
	}
}
