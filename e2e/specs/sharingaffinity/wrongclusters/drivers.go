// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongDrivers are clusters with faults that specs detect with the network
// interfaces of the driver.
var wrongDrivers = wrong.Table{
	"driver prepares conflicting values": {
		Options: withNIC(fakecluster.DriverMistakes{AdmitsAll: true}), Spec: "affinity-driver-is-backstop",
		Want: []string{"while waiting until driver nic.example.com fails to prepare claim other", "the driver prepared claim other"},
	},
	"driver prepares claims that contradict themselves": {
		Options: withNIC(fakecluster.DriverMistakes{AdmitsContradictions: true}), Spec: "affinity-driver-is-backstop",
		Want: []string{"while waiting until driver nic.example.com fails to prepare claim contradicting", "the driver prepared claim contradicting"},
	},
	"driver keeps the values of unprepared claims": {
		Options: withNIC(fakecluster.DriverMistakes{KeepsValues: true}), Spec: "affinity-driver-is-backstop",
		Want: []string{"while waiting until pod other runs", "for key nic.draconform.dev/subnet"},
	},
	"kubelet starts a pod whose claim is not prepared": {
		Options: withNIC(fakecluster.KubeletMistakes{StartsUnprepared: true}), Spec: "affinity-driver-is-backstop",
		Want: []string{"while waiting until an event reports why pod other is not started", "pod other is Running and was started, although its devices were not prepared"},
	},
	"scheduler ignores claims that are not prepared": {
		Options: withNIC(fakecluster.SchedulerMistakes{Misreads: func(s *fakecluster.Scene) { s.Objects.Claims = nil }}), Spec: "affinity-lock-outlives-failed-prepare",
		Want: []string{"pod other should be unschedulable, because claim one is allocated the device, although it is not prepared", "claim other was allocated"},
	},
	"kubelet does not start pods with devices that declare keys": {
		Options: withNIC(fakecluster.KubeletMistakes{NeverRetries: true}), Spec: "affinity-lock-outlives-failed-prepare",
		Want: []string{"while waiting until pod one runs"},
	},
}

// withNIC returns the options of a cluster with faults and network interfaces.
func withNIC(faults ...fakecluster.ComponentMistakes) fakecluster.Options {
	return fakecluster.Options{NIC: "nic.example.com", Mistakes: fakecluster.MistakesOf(faults...)}
}
