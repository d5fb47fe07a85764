package sharingaffinity_test

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongDrivers are clusters with faults that specs detect with the network
// interfaces of the driver.
var wrongDrivers = wrong.Table{
	"driver prepares values that must not meet": {
		Options: withNIC(fakecluster.Mistakes{AdmitsAll: true}), Spec: "affinity-driver-is-backstop",
		Want: []string{"while waiting until driver nic.example.com refuses claim other", "the driver prepared claim other"},
	},
	"driver prepares claims that contradict themselves": {
		Options: withNIC(fakecluster.Mistakes{AdmitsContradictions: true}), Spec: "affinity-driver-is-backstop",
		Want: []string{"while waiting until driver nic.example.com refuses claim contradicting", "the driver prepared claim contradicting"},
	},
	"driver keeps to the values of claims that are gone": {
		Options: withNIC(fakecluster.Mistakes{KeepsValues: true}), Spec: "affinity-driver-is-backstop",
		Want: []string{"while waiting until pod other runs", "for key nic.draconform.dev/subnet"},
	},
	"kubelet starts a pod that its driver refused": {
		Options: withNIC(fakecluster.Mistakes{StartsUnprepared: true}), Spec: "affinity-driver-is-backstop",
		Want: []string{"while waiting until an event of pod other says", "pod other is Running and was started, although its devices were not prepared"},
	},
	"scheduler does not count claims that are not prepared": {
		Options: withNIC(fakecluster.Mistakes{Misreads: func(s *fakecluster.Scene) { s.Objects.Claims = nil }}), Spec: "affinity-lock-outlives-failed-prepare",
		Want: []string{"pod other should be refused, because claim one is allocated the device, although it is not prepared", "claim other was allocated"},
	},
	"kubelet does not start pods with devices that declare keys": {
		Options: withNIC(fakecluster.Mistakes{NeverRetries: true}), Spec: "affinity-lock-outlives-failed-prepare",
		Want: []string{"while waiting until pod one runs"},
	},
}

// withNIC returns the options of a cluster with faults and network interfaces.
func withNIC(m fakecluster.Mistakes) fakecluster.Options {
	return fakecluster.Options{NIC: "nic.example.com", Mistakes: m}
}
