// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/fakedriver/calls"
)

// ignoresOthers returns the faults of kubelets that ignore the failures of a method of all drivers
// of a claim but the first one.
func ignoresOthers(method string) fakecluster.KubeletMistakes {
	return fakecluster.KubeletMistakes{IgnoresOtherDrivers: func(of string) bool { return of == method }}
}

// withNIC returns a cluster with faults and a second driver.
func withNIC(faults ...fakecluster.ComponentMistakes) fakecluster.Options {
	return fakecluster.Options{NIC: "nic.example.com", Mistakes: fakecluster.MistakesOf(faults...)}
}

// wrongTwoDrivers are clusters with two drivers, in which the kubelet or a driver
// confuses them.
var wrongTwoDrivers = wrong.Table{
	"kubelet calls all drivers for all claims": {
		Options: withNIC(fakecluster.KubeletMistakes{CallsAllDrivers: true}), Spec: "each-driver-is-called-for-its-claims",
		Want: []string{"NodePrepareResources should be called for all claims of the pod together", "draconform-test-1/shared"},
	},
	"kubelet calls drivers for each of their claims": {
		Options: withNIC(fakecluster.KubeletMistakes{CallsSeparately: true}), Spec: "each-driver-is-called-for-its-claims",
		Want: []string{"NodePrepareResources should be called for all claims of the pod together", "the missing elements were"},
	},
	"kubelet calls all drivers for each claim": {
		Options: withNIC(fakecluster.KubeletMistakes{CallsAllDrivers: true, CallsSeparately: true}), Spec: "each-driver-is-called-for-its-claims",
		Want: []string{"NodePrepareResources should be called for all claims of the pod together"},
	},
	"driver rejects a claim with devices of another driver": {
		Options: withNIC(fakecluster.DriverMistakes{RejectsOtherDrivers: true}), Spec: "claim-of-two-drivers-is-prepared",
		Want: []string{"while waiting until pod pod runs", "there is no device nic-"},
	},
	"kubelet ignores that the second driver of a claim fails to prepare it": {
		Options: withNIC(ignoresOthers(calls.Prepare)), Spec: "each-driver-of-a-claim-must-succeed",
		Want: []string{"pod pod-1 is Running and was started, although its devices were not prepared"},
	},
	"kubelet ignores that the second driver of a claim fails to unprepare it": {
		Options: withNIC(ignoresOthers(calls.Unprepare)), Spec: "each-driver-of-a-claim-must-succeed",
		Want: []string{"pod pod-1 and the allocation of claim pod-1 should stay, because driver nic.example.com has not unprepared it"},
	},
	"container sees the device of one driver only": {
		Options: withNIC(fakecluster.ContainerMistakes{ShowsTooFew: true}), Spec: "claim-of-two-drivers-is-prepared",
		Want: []string{"should see the devices of its claim and no others"},
	},
	"drivers do not unprepare a claim of two drivers": {
		Options: withNIC(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "claim-of-two-drivers-is-prepared",
		Want: []string{"claim both should be prepared: false"},
	},
	"restarted kubelet forgets a claim of two drivers": {
		Options: withNIC(fakecluster.KubeletMistakes{KubeletForgets: true}), Spec: "claim-of-two-drivers-outlives-kubelet-restart",
		Want: []string{"claim both should be prepared: false"},
	},
	"one driver with exclusive and shared devices": {
		Options: withNIC(), Spec: "claim-of-two-drivers-is-prepared", Outcome: suite.NotApplicable,
		Target: func(target *env.Target) {
			target.Subject.Shared = &subject.Shared{Share: target.Subject.Exclusive.Device}
		},
		Want: []string{"needs exclusive devices and shared devices of different drivers, driver mig.example.com offers both"},
	},
}
