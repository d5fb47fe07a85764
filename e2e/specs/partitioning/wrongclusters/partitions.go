// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"time"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

const overdrawn = "counter memory-slice-0 of counter set gpu-0-counter-set in pool mig.example.com/node-1 is overdrawn: 2 of 1 are consumed"

// wrongPartitions are clusters with faults that specs detect with the
// partitions of the driver.
var wrongPartitions = wrong.Table{
	"scheduler allocates partitions for which there are counters": misread(func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			for _, device := range slices.Clone(slice.Spec.Devices) {
				device.Name, device.ConsumesCounters = device.Name+"-unlisted", nil
				slice.Spec.Devices = append(slice.Spec.Devices, device)
			}
		}
	}, "partition-unlisted-is-not-allocated", "pod unlisted should be unschedulable, because the only listed partition is allocated"),
	"scheduler ignores counters, late partition": {
		Options: wrong.With(fakecluster.SchedulerMistakes{IgnoresCounters: true}), Spec: "partition-release-returns-counters",
		Want: []string{
			"while waiting until pod late is unschedulable", "pod late should be unschedulable, because its parent's counters are used up by claim full",
			"claim late was allocated [mig.example.com/node-1/gpu-0-mig-1g-5gb-0] for a pod on node \"node-1\"", overdrawn,
		},
	},
	"scheduler ignores counters, whole device": {
		Options: wrong.With(fakecluster.SchedulerMistakes{IgnoresCounters: true}), Spec: "partition-excludes-whole",
		Want: []string{"pod whole should be unschedulable, because claim partition holds a partition", "claim whole was allocated [mig.example.com/node-1/gpu-0]", overdrawn},
	},
	"scheduler ignores counters, mix": {
		Options: wrong.With(fakecluster.SchedulerMistakes{IgnoresCounters: true}), Spec: "partition-mix-fits-one-parent",
		Want: []string{"while waiting until pod mix runs", "allocations in the cluster should be valid", "memory-slice-0 of counter set gpu-0-counter-set in pool mig.example.com/node-1 is overdrawn"},
	},
	"scheduler forgets claims, late partition": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ForgetsClaims: true}), Spec: "partition-release-returns-counters",
		Want: []string{"pod late should be unschedulable", "claim late was allocated", overdrawn},
	},
	"scheduler allocates partitions of two parents": {
		Options: fakecluster.Options{GPUs: 2, Mistakes: fakecluster.MistakesOf(fakecluster.SchedulerMistakes{SpreadsParents: true})}, Spec: "partition-mix-fits-one-parent",
		Want: []string{
			"the allocation of claim mix should satisfy its requests",
			"devices mig.example.com/node-1/gpu-0-mig-1g-5gb-0 and mig.example.com/node-1/gpu-1-mig-1g-5gb-0 differ in the attribute mig.example.com/parentUUID",
		},
	},
	"scheduler ignores selectors": {
		Options: wrong.With(fakecluster.SchedulerMistakes{IgnoresSelectors: true}), Spec: "partition-mix-fits-one-parent",
		Want: []string{"the allocation of claim mix should satisfy its requests", "request partition-2 has device mig.example.com/node-1/gpu-0-mig-1g-5gb-2, which its selector does not accept"},
	},
	"scheduler allocates a device to two requests": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ForgetsRequests: true}), Spec: "partition-mix-fits-one-parent",
		Want: []string{"device mig.example.com/node-1/gpu-0-mig-1g-5gb-0 is allocated 2 times: to draconform-test-1/mix and draconform-test-1/mix"},
	},
	"scheduler allocates a device to two claims": {
		Options: fakecluster.Options{
			Objects:  fakecluster.AllocatedClaim("neighbour", "mig.example.com", "gpu-0-mig-1g-5gb-0"),
			Mistakes: fakecluster.MistakesOf(fakecluster.SchedulerMistakes{ForgetsClaims: true}),
		}, Spec: "partition-mix-fits-one-parent",
		Want: []string{"device mig.example.com/node-1/gpu-0-mig-1g-5gb-0 is allocated 2 times: to draconform-test-1/mix and elsewhere/neighbour"},
	},
	"scheduler allocates for one request of several": {
		Options: wrong.With(fakecluster.SchedulerMistakes{SkipsRequests: true}), Spec: "partition-mix-fits-one-parent",
		Want: []string{"the allocation of claim mix should satisfy its requests", "request partition-1 has 0 devices, not 1", "request partition-3 has 0 devices, not 1"},
	},
	"scheduler allocates a device that does not exist": {
		Options: wrong.With(fakecluster.SchedulerMistakes{InventsDevices: true}), Spec: "partition-mix-fits-one-parent",
		Want: []string{"claim mix was allocated mig.example.com/node-1/gpu-0-mig-1g-5gb-0-invented, which no slice of driver mig.example.com offers"},
	},
	"scheduler does not return counters": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsCounters: true}), Spec: "partition-release-returns-counters",
		Want: []string{"while waiting until pod late runs", "the pod should run, because its claim fits", "pod late is Pending: PodScheduled: 0/1 nodes are available"},
	},
	"scheduler does not return partitions": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsCounters: true}), Spec: "partition-excludes-whole",
		Want: []string{"while waiting until pod whole runs", "pod whole is Pending: PodScheduled: 0/1 nodes are available"},
	},
	"scheduler allocates an unschedulable claim later": {
		Options: wrong.With(fakecluster.SchedulerMistakes{GivesInAfter: 500 * time.Millisecond}), Spec: "partition-release-returns-counters",
		Want: []string{"pod late should stay unschedulable, because its parent's counters are used up by claim full", "claim late was allocated [mig.example.com/node-1/gpu-0-mig-1g-5gb-0]", overdrawn},
	},
	"scheduler rejects a claim that fits": {
		Options: wrong.With(fakecluster.SchedulerMistakes{RefusesAll: true}), Spec: "partition-mix-fits-one-parent",
		Want: []string{"the pod should run, because its claim fits", "pod mix is Pending: PodScheduled: 0/1 nodes are available: 1 cannot allocate all claims."},
	},
	"scheduler does not report an unschedulable pod": {
		Options: wrong.With(fakecluster.SchedulerMistakes{NeverReports: true}), Spec: "partition-release-returns-counters",
		Want: []string{"pod late should be unschedulable, because", "pod late is not reported as unschedulable: its conditions and events contain no reason"},
	},
	"driver shows another device": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsAnother: true}), Spec: "partition-mix-fits-one-parent",
		Want: []string{"the container of pod mix should see the devices of its claim and no others", "the missing elements were", "gpu-0-mig-3g-20gb-4", "the extra elements were", "gpu-0-mig-1g-5gb-6"},
	},
	"driver shows a device too few": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsTooFew: true}), Spec: "partition-mix-fits-one-parent",
		Want: []string{"the container of pod mix should see the devices of its claim and no others", "the missing elements were", "gpu-0-mig-3g-20gb-4"},
	},
	"driver shows a device too many": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsTooMany: true}), Spec: "partition-excludes-whole",
		Want: []string{"the container of pod partition should see the devices of its claim and no others", "the extra elements were", "gpu-0-mig-1g-5gb-6"},
	},
	"driver sets malformed variables": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsNonsense: true}), Spec: "partition-mix-fits-one-parent",
		Want: []string{"the container of pod mix should see", "the container could not read its devices: [variable DRACONFORM_DEVICE_X"},
	},
	"kubelet does not start the pod": {
		Options: wrong.With(fakecluster.KubeletMistakes{NeverStarts: true}), Spec: "partition-mix-fits-one-parent",
		Want: []string{"while waiting until pod mix runs", "pod mix is Pending: last event: FailedPrepareDynamicResources: the driver does not answer"},
	},
	"container exits": {
		Options: wrong.With(fakecluster.ContainerMistakes{EndsPods: true}), Spec: "partition-mix-fits-one-parent",
		Want: []string{"the pod should run", "Told to stop trying", "pod mix is Running: container exited with code 3: Error"},
	},
	"no container starts": {
		Options: wrong.With(fakecluster.ContainerMistakes{BreaksContainers: true}), Spec: "partition-mix-fits-one-parent",
		Want: []string{"Timed out", "the pod should run", "pod mix is Running: container exited with code 128: StartError"},
	},
	"kubelet does not stop the pod": {
		Options: wrong.With(fakecluster.KubeletMistakes{NeverStops: true}), Spec: "partition-release-returns-counters",
		Want: []string{"while deleting pod and claim full", "a deleted pod and its claim should be removed", "pod full still exists"},
	},
}
