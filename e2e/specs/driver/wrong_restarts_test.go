package driver_test

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongRestarts are clusters in which the driver or the kubelet handles
// restarts or missing drivers incorrectly.
var wrongRestarts = wrong.Table{
	"driver ends containers when it ends": {
		Options: wrong.With(fakecluster.Mistakes{RestartEndsPods: true}), Spec: "exclusive-survives-driver-restart",
		Want: []string{"the container of pod before-0 should go on despite the driver's restart", "-after-driver"},
	},
	"driver forgets what is prepared": {
		Options: wrong.With(fakecluster.Mistakes{RestartForgets: true}), Spec: "exclusive-survives-driver-restart",
		Want: []string{"driver mig.example.com on node node-1 should still know which claims are prepared", "draconform-test-1/before"},
	},
	"driver does not come back": {
		Options: wrong.With(fakecluster.Mistakes{NeverReturns: true}), Spec: "exclusive-survives-driver-restart",
		Want: []string{"driver mig.example.com should come back on node node-1", "the process is the one that was there before"},
	},
	"new driver does not know what the old one prepared": {
		Options: wrong.With(fakecluster.Mistakes{RestartForgets: true}), Spec: "exclusive-survives-driver-update",
		Want: []string{"while updating driver mig.example.com", "should still know which claims are prepared"},
	},
	"kubelet ends containers when it ends": {
		Options: wrong.With(fakecluster.Mistakes{RestartEndsPods: true}), Spec: "exclusive-survives-kubelet-restart",
		Want: []string{"the container of pod before-0 should go on despite the kubelet's restart", "-after-kubelet"},
	},
	"kubelet does not come back": {
		Options: wrong.With(fakecluster.Mistakes{NeverReturns: true}), Spec: "exclusive-survives-kubelet-restart",
		Want: []string{"while killing the kubelet of node node-1", "the kubelet does not answer"},
	},
	"driver forgets what is prepared when its node ends": {
		Options: wrong.With(fakecluster.Mistakes{RestartForgets: true}), Spec: "exclusive-survives-node-restart",
		Want: []string{"while restarting node node-1", "should still know which claims are prepared"},
	},
	"driver is not registered after its node's restart": {
		Options: wrong.With(fakecluster.Mistakes{NeverReturns: true}), Spec: "exclusive-survives-node-restart",
		Want: []string{"driver mig.example.com should come back on node node-1", "the kubelet has not registered it"},
	},
	"kubelet starts a pod without its driver": {
		Options: wrong.With(fakecluster.Mistakes{StartsWithoutDriver: true}), Spec: "absent-driver-is-waited-for",
		Want: []string{"while waiting until an event of pod late-0 says: mig.example.com", "pod late-0 is Running and was started, although its devices were not prepared"},
	},
	"kubelet does not say which driver is not there": {
		Options: wrong.With(fakecluster.Mistakes{NamesNoDriver: true}), Spec: "absent-driver-is-waited-for",
		Want: []string{"no warning about pod late-0 says \"mig.example.com\"", "a driver is not registered"},
	},
	"kubelet does not look again for a driver": {
		Options: wrong.With(fakecluster.Mistakes{NeverRetries: true}), Spec: "absent-driver-is-waited-for",
		Want: []string{"while waiting until pod late-0 runs", "driver mig.example.com is not registered"},
	},
	"kubelet lets a pod go whose driver is not there": {
		Options: wrong.With(fakecluster.Mistakes{LetsGo: true}), Spec: "absent-driver-keeps-devices-held",
		Want: []string{"pod before-0 and the devices of claim before should stay, because its driver is not there to give them back", "not found"},
	},
	"driver comes back and gives nothing back": {
		Options: wrong.With(fakecluster.Mistakes{NeverUnprepares: true}), Spec: "absent-driver-keeps-devices-held",
		Want: []string{"claim before should be prepared: false"},
	},
	"kubelet asks no driver that comes back": {
		Options: wrong.With(fakecluster.Mistakes{NeverAsks: true}), Spec: "absent-driver-keeps-devices-held",
		Want: []string{"pod before-0 and the devices of claim before should stay"},
	},
	"driver comes back and has forgotten its claims": {
		Options: wrong.With(fakecluster.Mistakes{RestartForgets: true}), Spec: "absent-driver-offers-nothing",
		Want: []string{"claim before should be prepared: true"},
	},
	"kubelet keeps the slices of a driver that has left": {
		Options: wrong.With(fakecluster.Mistakes{KeepsSlices: true}), Spec: "absent-driver-offers-nothing",
		Want: []string{"the slices of driver mig.example.com, which is not on node node-1, should be removed", "is still there"},
	},
	"driver comes back and publishes nothing": {
		Options: wrong.With(fakecluster.Mistakes{NeverRepublishes: true}), Spec: "absent-driver-offers-nothing",
		Want: []string{"while waiting until pod late-0 runs", "0/1 nodes are available"},
	},
	"kubelet ends pods of the one before when it has something to start": {
		Options: wrong.With(fakecluster.Mistakes{RestartEndsPodsLater: true}), Spec: "exclusive-survives-kubelet-restart",
		Want: []string{"the container of pod before-0 should go on despite what the next kubelet found", "-after-kubelet"},
	},
	"driver prepares something else for the next kubelet": {
		Options: wrong.With(fakecluster.Mistakes{PreparesOthersAgain: true}), Spec: "exclusive-survives-kubelet-restart",
		Want: []string{"while comparing what the driver answered for claim before", "the driver should answer the same CDI devices for claim before each time", "-again"},
	},
	"driver does not prepare again for the next kubelet": {
		Options: wrong.With(fakecluster.Mistakes{PreparesOnce: true}), Spec: "exclusive-survives-kubelet-restart",
		Want: []string{"while waiting until pod joined runs", "it is prepared already"},
	},
	"claim gets another device when its node starts again": {
		Options: wrong.With(fakecluster.Mistakes{RestartMoves: true}), Spec: "exclusive-survives-node-restart",
		Want: []string{"claim before should keep its devices despite the node's restart", "gpu-0-mig-1g-5gb-6"},
	},
	"driver ends containers of a multi-host device": {
		Options: fakecluster.Options{Nodes: 4, TPU: "tpu.example.com", Mistakes: fakecluster.Mistakes{RestartEndsPods: true}}, Spec: "multi-host-survives-driver-restart",
		Want: []string{"the container of pod before-0 should go on despite the driver's restart"},
	},
}
