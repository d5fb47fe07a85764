package specs_test

import (
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/suite/env"
)

// wrongDrivers are clusters in which the driver, the kubelet or the control
// plane handles restarts, retries and missing components incorrectly.
var wrongDrivers = map[string]mistake{
	"driver gives back more than is asked": {
		cluster: makes(fakecluster.Mistakes{UnpreparesAll: true}), spec: "unprepare-leaves-other-claims",
		want: []string{"claim stays should be prepared: true"},
	},
	"driver does not prepare what it has prepared": {
		cluster: makes(fakecluster.Mistakes{PreparesOnce: true}), spec: "answers-are-the-same-again",
		want: []string{"while waiting until pod again-0 runs", "pod again-0 is Pending: last event: FailedPrepareDynamicResources"},
	},
	"driver prepares something else when it is asked again": {
		cluster: makes(fakecluster.Mistakes{PreparesOthersAgain: true}), spec: "answers-are-the-same-again",
		want: []string{"the driver should answer the same CDI devices for claim again each time", "-again"},
	},
	"driver does not give back what is given back": {
		cluster: makes(fakecluster.Mistakes{UnpreparesOnce: true}), spec: "answers-are-the-same-again",
		want: []string{"while removing pod and claim again", "pod again-0 is still there"},
	},
	"kubelet does not ask again whose answer was lost": {
		cluster: makes(fakecluster.Mistakes{NeverRetries: true}), spec: "answers-are-the-same-again",
		want: []string{"while waiting until pod again-0 runs", "the spec wants this answer to be lost"},
	},
	"kubelet starts a pod without its driver": {
		cluster: makes(fakecluster.Mistakes{StartsWithoutDriver: true}), spec: "absent-driver-is-waited-for",
		want: []string{"while waiting until an event of pod late-0 says: mig.example.com", "pod late-0 is Running and was started, although its devices were not prepared"},
	},
	"kubelet does not say which driver is not there": {
		cluster: makes(fakecluster.Mistakes{NamesNoDriver: true}), spec: "absent-driver-is-waited-for",
		want: []string{"no warning about pod late-0 says \"mig.example.com\"", "a driver is not registered"},
	},
	"kubelet does not look again for a driver": {
		cluster: makes(fakecluster.Mistakes{NeverRetries: true}), spec: "absent-driver-is-waited-for",
		want: []string{"while waiting until pod late-0 runs", "driver mig.example.com is not registered"},
	},
	"kubelet lets a pod go whose driver is not there": {
		cluster: makes(fakecluster.Mistakes{LetsGo: true}), spec: "absent-driver-keeps-devices-held",
		want: []string{"pod before-0 and the devices of claim before should stay, because its driver is not there to give them back", "not found"},
	},
	"driver comes back and gives nothing back": {
		cluster: makes(fakecluster.Mistakes{NeverUnprepares: true}), spec: "absent-driver-keeps-devices-held",
		want: []string{"claim before should be prepared: false"},
	},
	"kubelet asks no driver that comes back": {
		cluster: makes(fakecluster.Mistakes{NeverAsks: true}), spec: "absent-driver-keeps-devices-held",
		want: []string{"pod before-0 and the devices of claim before should stay"},
	},
	"driver comes back and has forgotten its claims": {
		cluster: makes(fakecluster.Mistakes{RestartForgets: true}), spec: "absent-driver-offers-nothing",
		want: []string{"claim before should be prepared: true"},
	},
	"kubelet keeps the slices of a driver that has left": {
		cluster: makes(fakecluster.Mistakes{KeepsSlices: true}), spec: "absent-driver-offers-nothing",
		want: []string{"the slices of driver mig.example.com, which is not on node node-1, should be removed", "is still there"},
	},
	"driver comes back and publishes nothing": {
		cluster: makes(fakecluster.Mistakes{NeverRepublishes: true}), spec: "absent-driver-offers-nothing",
		want: []string{"while waiting until pod late-0 runs", "0/1 nodes are available"},
	},
	"kubelet ends pods of the one before when it has something to start": {
		cluster: makes(fakecluster.Mistakes{RestartEndsPodsLater: true}), spec: kubeletRestart,
		want: []string{"the container of pod before-0 should go on despite what the next kubelet found", "-after-kubelet"},
	},
	"driver prepares something else for the next kubelet": {
		cluster: makes(fakecluster.Mistakes{PreparesOthersAgain: true}), spec: kubeletRestart,
		want: []string{"while comparing what the driver answered for claim before", "the driver should answer the same CDI devices for claim before each time", "-again"},
	},
	"driver does not prepare again for the next kubelet": {
		cluster: makes(fakecluster.Mistakes{PreparesOnce: true}), spec: kubeletRestart,
		want: []string{"while waiting until pod joined runs", "it is prepared already"},
	},
	"claim gets another device when its node starts again": {
		cluster: makes(fakecluster.Mistakes{RestartMoves: true}), spec: nodeRestart,
		want: []string{"claim before should keep its devices despite the node's restart", "gpu-0-mig-1g-5gb-6"},
	},
	"containers see requests that they do not name": {
		cluster: makes(fakecluster.Mistakes{ShowsAllRequests: true}), spec: "containers-see-their-requests",
		want: []string{"container one of pod pod should see the devices of the claims that it uses and no others", "the extra elements were"},
	},
	"containers do not see devices of alternatives": {
		cluster: makes(fakecluster.Mistakes{ShowsNoAlternatives: true}), spec: "prioritized-list-containers-name-requests",
		want: []string{"container list of pod pod should see the devices of the claims that it uses and no others", "the missing elements were"},
	},
	"API server takes pods that name alternatives": {
		spec: "prioritized-list-alternatives-are-not-named",
		want: []string{"a container must not name an alternative"},
	},
	"driver prepares values that must not meet": {
		cluster: withNIC(fakecluster.Mistakes{AdmitsAll: true}), spec: "affinity-driver-is-backstop",
		want: []string{"while waiting until driver nic.example.com refuses claim other", "the driver prepared claim other"},
	},
	"driver prepares claims that contradict themselves": {
		cluster: withNIC(fakecluster.Mistakes{AdmitsContradictions: true}), spec: "affinity-driver-is-backstop",
		want: []string{"while waiting until driver nic.example.com refuses claim contradicting", "the driver prepared claim contradicting"},
	},
	"driver keeps to the values of claims that are gone": {
		cluster: withNIC(fakecluster.Mistakes{KeepsValues: true}), spec: "affinity-driver-is-backstop",
		want: []string{"while waiting until pod other runs", "for key nic.draconform.dev/subnet"},
	},
	"kubelet starts a pod that its driver refused": {
		cluster: withNIC(fakecluster.Mistakes{StartsUnprepared: true}), spec: "affinity-driver-is-backstop",
		want: []string{"while waiting until an event of pod other says", "pod other is Running and was started, although its devices were not prepared"},
	},
	"scheduler does not count claims that are not prepared": {
		cluster: withNIC(fakecluster.Mistakes{Misreads: func(s *fakecluster.Scene) { s.Objects.Claims = nil }}), spec: "affinity-lock-outlives-failed-prepare",
		want: []string{"pod other should be refused, because claim one is allocated the device, although it is not prepared", "claim other was allocated"},
	},
	"kubelet does not start pods with devices that declare keys": {
		cluster: withNIC(fakecluster.Mistakes{NeverRetries: true}), spec: "affinity-lock-outlives-failed-prepare",
		want: []string{"while waiting until pod one runs"},
	},
	"scheduler knows sharing affinity and says nothing": {
		there: ignoresAffinity, spec: "affinity-is-ignored-without-feature",
		want: []string{"while waiting until pod", "is scheduled", "cannot allocate all claims"},
	},
	"scheduler binds pods whose claims are not reserved": {
		cluster: makes(fakecluster.Mistakes{BindsFirst: true}), spec: "reserved-before-bound",
		want: []string{"pod refused should not be bound, because its claim is not reserved for it", "was bound to node"},
	},
	"kubelet starts pods whose claims are not reserved": {
		cluster: makes(fakecluster.Mistakes{IgnoresReservations: true}), spec: "not-reserved-is-not-run",
		want: []string{"while waiting until an event of pod first says", "pod first is Running and was started"},
	},
	"kubelet does not say which claim is not reserved": {
		cluster: makes(fakecluster.Mistakes{NeverStarts: true}), spec: "not-reserved-is-not-run",
		want: []string{"no warning about pod first says \"never-allocated\"", "the driver does not answer"},
	},
	"no claims are made from templates": {
		cluster: makes(fakecluster.Mistakes{MakesNoClaims: true}), spec: "made-claims-are-freed",
		want: []string{"while waiting until pod first is scheduled", "pod first is not scheduled"},
	},
	"kubelet forgets a claim that is gone with its pod": {
		cluster: makes(fakecluster.Mistakes{ForgetsForced: true}), spec: "made-claim-is-unprepared",
		want: []string{"should be prepared: false"},
	},
	"API server takes alternatives although they are off": {
		there: func(there *env.Target) {
			there.Found = maps.Clone(there.Found)
			delete(there.Found, features.PrioritizedList)
		}, spec: "prioritized-list-is-refused-without-feature",
		want: []string{"alternatives: is taken, and should be refused because of spec.devices.requests[0]", "alternatives in a template: is taken"},
	},
	"scheduler does not count claims of other namespaces": {
		cluster: makes(fakecluster.Mistakes{Misreads: func(s *fakecluster.Scene) {
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool { return c.Namespace != s.Pod.Namespace })
		}}), spec: "shared-device-serves-namespaces",
		want: []string{"pod three should be refused, because the claims of both namespaces have all slots of the device", "claim three was allocated"},
	},
	"scheduler lets one namespace have a device": {
		cluster: makes(fakecluster.Mistakes{Misreads: func(s *fakecluster.Scene) {
			if slices.ContainsFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool { return c.Namespace != s.Pod.Namespace }) {
				s.Objects.Slices = nil
			}
		}}), spec: "shared-device-serves-namespaces",
		want: []string{"while waiting until pod one is scheduled", "cannot allocate all claims"},
	},
	"driver leaves files of claims that were given back": {
		cluster: makes(fakecluster.Mistakes{LeavesFiles: true}), spec: released,
		want: []string{"claim before should be prepared: false", "has prepared [], and there are CDI files for [uid-"},
	},
}

// wrongWithWholeDevices are clusters without partitions in which the driver or
// the kubelet violates the contract between them.
var wrongWithWholeDevices = map[string]mistake{
	"driver keeps whole devices prepared": {
		cluster: wholeGPUs(fakecluster.Mistakes{NeverUnprepares: true}), spec: released,
		want: []string{"claim before should be prepared: false"},
	},
	"driver gives back more whole devices than is asked": {
		cluster: wholeGPUs(fakecluster.Mistakes{UnpreparesAll: true}), spec: "unprepare-leaves-other-claims",
		want: []string{"claim stays should be prepared: true"},
	},
	"kubelet lets a pod with a whole device go before its driver has answered": {
		cluster: wholeGPUs(fakecluster.Mistakes{LetsGo: true}), spec: "release-waits-for-unprepare",
		want: []string{"pod whole-0 should be refused, because claim before holds a device that the driver has not given back", "claim whole was allocated"},
	},
	"containers see whole devices of requests that they do not name": {
		cluster: wholeGPUs(fakecluster.Mistakes{ShowsAllRequests: true}), spec: "containers-see-their-requests",
		want: []string{"container one of pod pod should see the devices of the claims that it uses and no others", "the extra elements were", `Device: "gpu-1"`},
	},
}

// wholeGPUs returns the options of a cluster with faults whose GPUs cannot be
// partitioned.
func wholeGPUs(m fakecluster.Mistakes) fakecluster.Options {
	return fakecluster.Options{GPUs: 4, WithoutPartitions: true, Mistakes: m}
}

// withNIC returns the options of a cluster with faults and network interfaces.
func withNIC(m fakecluster.Mistakes) fakecluster.Options {
	return fakecluster.Options{NIC: "nic.example.com", Mistakes: m}
}
