package specs_test

import (
	"time"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
)

// makes returns the options of a cluster with one GPU and the given faults.
func makes(m fakecluster.Mistakes) fakecluster.Options { return fakecluster.Options{Mistakes: m} }

const overdrawn = "counter memory-slice-0 of counter set gpu-0-counter-set in pool mig.example.com/node-1 is overdrawn: 2 of 1 are consumed"

// wrongWithDevices are clusters with one fault each, and the spec that must
// detect it.
var wrongWithDevices = map[string]mistake{
	"scheduler ignores counters, late partition": {
		cluster: makes(fakecluster.Mistakes{IgnoresCounters: true}), spec: release,
		want: []string{
			"while waiting for the refusal of pod late", "pod late should be refused, because its parent's counters are used up by claim full",
			"claim late was allocated [mig.example.com/node-1/gpu-0-mig-1g-5gb-0] for a pod on node \"node-1\"", overdrawn,
		},
	},
	"scheduler ignores counters, whole device": {
		cluster: makes(fakecluster.Mistakes{IgnoresCounters: true}), spec: whole,
		want: []string{"pod whole should be refused, because claim partition holds a partition", "claim whole was allocated [mig.example.com/node-1/gpu-0]", overdrawn},
	},
	"scheduler ignores counters, mix": {
		cluster: makes(fakecluster.Mistakes{IgnoresCounters: true}), spec: mix,
		want: []string{"while waiting until pod mix runs", "allocations in the cluster should agree with what its slices offer", "memory-slice-0 of counter set gpu-0-counter-set in pool mig.example.com/node-1 is overdrawn"},
	},
	"scheduler forgets claims, late partition": {
		cluster: makes(fakecluster.Mistakes{ForgetsClaims: true}), spec: release,
		want: []string{"pod late should be refused", "claim late was allocated", overdrawn},
	},
	"scheduler takes partitions of two parents": {
		cluster: fakecluster.Options{GPUs: 2, Mistakes: fakecluster.Mistakes{SpreadsParents: true}}, spec: mix,
		want: []string{
			"claim mix should have what its requests and constraints ask for",
			"devices mig.example.com/node-1/gpu-0-mig-1g-5gb-0 and mig.example.com/node-1/gpu-1-mig-1g-5gb-0 differ in the attribute mig.example.com/parentUUID",
		},
	},
	"scheduler ignores selectors": {
		cluster: makes(fakecluster.Mistakes{IgnoresSelectors: true}), spec: mix,
		want: []string{"claim mix should have what its requests", "request partition-2 has device mig.example.com/node-1/gpu-0-mig-1g-5gb-2, which its selector does not accept"},
	},
	"scheduler gives a device to two requests": {
		cluster: makes(fakecluster.Mistakes{ForgetsRequests: true}), spec: mix,
		want: []string{"device mig.example.com/node-1/gpu-0-mig-1g-5gb-0 is allocated 2 times: to draconform-test-1/mix and draconform-test-1/mix"},
	},
	"scheduler gives a device to two claims": {
		cluster: fakecluster.Options{
			Objects:  claim("neighbour", "mig.example.com", "gpu-0-mig-1g-5gb-0"),
			Mistakes: fakecluster.Mistakes{ForgetsClaims: true},
		}, spec: mix,
		want: []string{"device mig.example.com/node-1/gpu-0-mig-1g-5gb-0 is allocated 2 times: to draconform-test-1/mix and elsewhere/neighbour"},
	},
	"scheduler allocates for one request of several": {
		cluster: makes(fakecluster.Mistakes{SkipsRequests: true}), spec: mix,
		want: []string{"claim mix should have what its requests and constraints ask for", "request partition-1 has 0 devices, not 1", "request partition-3 has 0 devices, not 1"},
	},
	"scheduler allocates what no slice offers": {
		cluster: makes(fakecluster.Mistakes{InventsDevices: true}), spec: mix,
		want: []string{"claim mix was allocated mig.example.com/node-1/gpu-0-mig-1g-5gb-0-invented, which no slice of driver mig.example.com offers"},
	},
	"scheduler does not return counters": {
		cluster: makes(fakecluster.Mistakes{KeepsCounters: true}), spec: release,
		want: []string{"while waiting until pod late runs", "the pod should run, because its claim fits", "pod late is Pending: PodScheduled: 0/1 nodes are available"},
	},
	"scheduler does not return partitions": {
		cluster: makes(fakecluster.Mistakes{KeepsCounters: true}), spec: whole,
		want: []string{"while waiting until pod whole runs", "pod whole is Pending: PodScheduled: 0/1 nodes are available"},
	},
	"scheduler gives in": {
		cluster: makes(fakecluster.Mistakes{GivesInAfter: 500 * time.Millisecond}), spec: release,
		want: []string{"pod late should stay refused, because its parent's counters are used up by claim full", "claim late was allocated [mig.example.com/node-1/gpu-0-mig-1g-5gb-0]", overdrawn},
	},
	"scheduler refuses what fits": {
		cluster: makes(fakecluster.Mistakes{RefusesAll: true}), spec: mix,
		want: []string{"the pod should run, because its claim fits", "pod mix is Pending: PodScheduled: 0/1 nodes are available: 1 cannot allocate all claims."},
	},
	"scheduler does not say that a pod is unschedulable": {
		cluster: makes(fakecluster.Mistakes{NeverReports: true}), spec: release,
		want: []string{"pod late should be refused, because", "pod late is not reported as unschedulable: neither its conditions nor its events say why"},
	},
	"driver shows another device": {
		cluster: makes(fakecluster.Mistakes{ShowsAnother: true}), spec: mix,
		want: []string{"the container of pod mix should see the devices of its claim and no others", "the missing elements were", "gpu-0-mig-3g-20gb-4", "the extra elements were", "gpu-0-mig-1g-5gb-6"},
	},
	"driver shows a device too few": {
		cluster: makes(fakecluster.Mistakes{ShowsTooFew: true}), spec: mix,
		want: []string{"the container of pod mix should see the devices of its claim and no others", "the missing elements were", "gpu-0-mig-3g-20gb-4"},
	},
	"driver shows a device too many": {
		cluster: makes(fakecluster.Mistakes{ShowsTooMany: true}), spec: whole,
		want: []string{"the container of pod partition should see the devices of its claim and no others", "the extra elements were", "gpu-0-mig-1g-5gb-6"},
	},
	"driver shows nonsense": {
		cluster: makes(fakecluster.Mistakes{ShowsNonsense: true}), spec: mix,
		want: []string{"the container of pod mix should see", "the container could not read its devices: [variable DRACONFORM_DEVICE_X"},
	},
	"kubelet does not start the pod": {
		cluster: makes(fakecluster.Mistakes{NeverStarts: true}), spec: mix,
		want: []string{"while waiting until pod mix runs", "pod mix is Pending: last event: FailedPrepareDynamicResources: the driver does not answer"},
	},
	"container ends": {
		cluster: makes(fakecluster.Mistakes{EndsPods: true}), spec: mix,
		want: []string{"the pod should run", "Told to stop trying", "pod mix is Running: container ended with exit code 3: Error"},
	},
	"no container starts": {
		cluster: makes(fakecluster.Mistakes{BreaksContainers: true}), spec: mix,
		want: []string{"Timed out", "the pod should run", "pod mix is Running: container ended with exit code 128: StartError"},
	},
	"kubelet does not stop the pod": {
		cluster: makes(fakecluster.Mistakes{NeverStops: true}), spec: release,
		want: []string{"while removing pod and claim full", "a deleted pod and its claim should disappear", "pod full is still there"},
	},
	"driver keeps claims prepared": {
		cluster: makes(fakecluster.Mistakes{NeverUnprepares: true}), spec: released,
		want: []string{"claim before should be prepared: false", "driver mig.example.com on node node-1 has prepared [draconform-test-1/before]"},
	},
	"driver ends containers when it ends": {
		cluster: makes(fakecluster.Mistakes{RestartEndsPods: true}), spec: driverRestart,
		want: []string{"the container of pod before-0 should go on despite the driver's restart", "-after-driver"},
	},
	"driver forgets what is prepared": {
		cluster: makes(fakecluster.Mistakes{RestartForgets: true}), spec: driverRestart,
		want: []string{"driver mig.example.com on node node-1 should still know which claims are prepared", "draconform-test-1/before"},
	},
	"driver does not come back": {
		cluster: makes(fakecluster.Mistakes{NeverReturns: true}), spec: driverRestart,
		want: []string{"driver mig.example.com should come back on node node-1", "the process is the one that was there before"},
	},
	"new driver does not know what the old one prepared": {
		cluster: makes(fakecluster.Mistakes{RestartForgets: true}), spec: driverUpdate,
		want: []string{"while updating driver mig.example.com", "should still know which claims are prepared"},
	},
	"kubelet ends containers when it ends": {
		cluster: makes(fakecluster.Mistakes{RestartEndsPods: true}), spec: kubeletRestart,
		want: []string{"the container of pod before-0 should go on despite the kubelet's restart", "-after-kubelet"},
	},
	"kubelet does not come back": {
		cluster: makes(fakecluster.Mistakes{NeverReturns: true}), spec: kubeletRestart,
		want: []string{"while killing the kubelet of node node-1", "the kubelet does not answer"},
	},
	"driver forgets what is prepared when its node ends": {
		cluster: makes(fakecluster.Mistakes{RestartForgets: true}), spec: nodeRestart,
		want: []string{"while restarting node node-1", "should still know which claims are prepared"},
	},
	"driver is not registered after its node's restart": {
		cluster: makes(fakecluster.Mistakes{NeverReturns: true}), spec: nodeRestart,
		want: []string{"driver mig.example.com should come back on node node-1", "the kubelet has not registered it"},
	},
}
