// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite/env"
)

type statuses = []resourceapi.AllocatedDeviceStatus

// misstatesDevices returns the options of a cluster with changed device statuses
// in claims.
func misstatesDevices(change func(statuses) statuses) fakecluster.Options {
	return wrong.With(fakecluster.DriverMistakes{MisstatesDevices: change})
}

// wrongStatus are clusters whose drivers report the status of devices in claims
// incorrectly.
var wrongStatus = wrong.Table{
	"driver reports no status": {
		Options: fakecluster.Options{WithoutStatus: true}, Spec: "device-status-is-of-allocated-devices", Target: claimsStatus,
		Want: []string{"driver mig.example.com should have what its driver file states, capabilities.deviceStatus is yes in gpu.yaml:7", "claim claim of a running pod got no status of a device"},
	},
	"driver reports the status of a device that is not allocated": {
		Options: misstatesDevices(func(all statuses) statuses {
			another := all[0]
			another.Device = "gpu-0-mig-1g-5gb-6"
			return append(all, another)
		}),
		Spec: "device-status-is-of-allocated-devices",
		Want: []string{"the device status of claim claim should be about devices that are allocated to it", "gpu-0-mig-1g-5gb-6"},
	},
	"driver reports a device twice": {
		Options: misstatesDevices(func(all statuses) statuses { return append(all, all[0]) }), Spec: "device-status-is-of-allocated-devices",
		Want: []string{"claim claim should have one status of each device"},
	},
	"driver reports a condition without a reason": {
		Options: misstatesDevices(func(all statuses) statuses {
			all[0].Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue, LastTransitionTime: metav1.Now()}}
			return all
		}),
		Spec: "device-status-is-of-allocated-devices", Want: []string{"in claim claim should be valid", "conditions[0].reason"},
	},
	"driver reports an address without the length of its prefix": {
		Options: misstatesDevices(func(all statuses) statuses {
			all[0].NetworkData = &resourceapi.NetworkDeviceData{IPs: []string{"10.0.0.1"}}
			return all
		}),
		Spec: "device-status-is-of-allocated-devices", Want: []string{"in claim claim should be valid", `networkData.ips[0]: Invalid value: "10.0.0.1"`},
	},
	"driver reports the first device of a claim only": {
		Options: misstatesDevices(func(all statuses) statuses { return all[:1] }), Spec: "device-status-is-of-each-device",
		Want: []string{"driver mig.example.com should report the status of each of its devices of claim pod", "the missing elements were"},
	},
	"driver reports the first share of a claim only": {
		Options: withNIC(fakecluster.DriverMistakes{MisstatesDevices: func(all statuses) statuses { return all[:1] }}), Spec: "device-status-is-of-each-share",
		Want: []string{"driver nic.example.com should report the status of each of its devices of claim pod", "with share"},
	},
	"driver fails to report shares": {
		Options: withNIC(fakecluster.DriverMistakes{MisstatesDevices: func(all statuses) statuses {
			return slices.DeleteFunc(all, func(s resourceapi.AllocatedDeviceStatus) bool { return s.ShareID != nil })
		}}), Spec: "device-status-is-of-each-share",
		Want: []string{"driver nic.example.com should have what its driver file states, capabilities.deviceStatus is yes", "claim pod of a running pod got no status of a device"},
	},
	"driver overwrites the status of the devices of another driver": {
		Options: withNIC(fakecluster.DriverMistakes{MisstatesDevices: func(all statuses) statuses {
			last := all[len(all)-1].Driver
			return slices.DeleteFunc(all, func(s resourceapi.AllocatedDeviceStatus) bool { return s.Driver != last })
		}}), Spec: "device-status-of-two-drivers",
		Want: []string{"claim both should have the status of all of its devices, because each driver reports the status of its devices", "the missing elements were"},
	},
	"status of devices outlives their allocation": {
		Options: wrong.With(fakecluster.APIServerMistakes{KeepsStatus: true}), Spec: "device-status-ends-with-allocation",
		Want: []string{"claim claim, which is deallocated, should not have the status of devices", "mig.example.com/node-1/"},
	},
}

// claimsStatus makes the driver file state that the driver reports the status of
// devices.
func claimsStatus(target *env.Target) {
	target.Subject.Capabilities = map[string]map[subject.Capability]subject.Answer{
		"mig.example.com": {subject.DeviceStatus: {Answer: driverfile.Yes, Position: "gpu.yaml:7"}},
	}
}
