// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongAnyDriver are clusters with faults that specs find without control of
// the driver, by what it publishes and by what containers see.
var wrongAnyDriver = wrong.Table{
	"driver shows its devices to pods without claims": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsWithoutClaim: true}), Spec: "pod-without-claim-sees-no-devices",
		Want: []string{"the container of pod without-claim should see the devices of its claim and no others", "the extra elements were"},
	},
	"driver shows the devices of other pods": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsNeighbours: true}), Spec: "pods-do-not-see-each-others-devices",
		Want: []string{"should see the devices of its claim and no others", "the extra elements were"},
	},
	"driver shows another device than the allocated one": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsAnother: true}), Spec: "pods-of-a-node-share-a-claim",
		Want: []string{"the container of pod shared-0 should see the devices of its claim and no others"},
	},
	"driver shows one of two requested devices": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsTooFew: true}), Spec: "request-for-two-devices-is-prepared",
		Want: []string{"the container of pod pod should see the devices of its claim and no others", "the missing elements were"},
	},
	"driver shows four devices of a claim at most": {
		Options: wrong.With(fakecluster.ContainerMistakes{ShowsAtMost: 4}), Spec: "claim-of-many-devices-is-prepared",
		Want: []string{"the container of pod pod should see the devices of its claim and no others", "the missing elements were"},
	},
	"driver publishes devices under other names once it has prepared a claim": {
		Options: wrong.With(fakecluster.DriverMistakes{PublishesUse: func(d *resourceapi.Device, _ bool) { d.Name += "-renamed" }}), Spec: "slices-do-not-depend-on-use",
		Want: []string{"claim first was allocated", "which no slice of driver mig.example.com offers"},
	},
	"driver publishes devices under other names once they have been used": {
		Options: wrong.With(fakecluster.DriverMistakes{PublishesUse: func(d *resourceapi.Device, used bool) {
			if !used {
				d.Name += "-renamed"
			}
		}}), Spec: "slices-do-not-depend-on-use",
		Want: []string{"what driver mig.example.com publishes should not depend on which devices are in use", "is not published any more"},
	},
	"driver subtracts what is used from capacities": {
		Options: wrong.With(fakecluster.DriverMistakes{PublishesUse: func(d *resourceapi.Device, used bool) {
			if used {
				d.Capacity = nil
			}
		}}), Spec: "slices-do-not-depend-on-use",
		Want: []string{"should not depend on which devices are in use", "is published with"},
	},
	"driver charges used devices to other counters": {
		Options: wrong.With(fakecluster.DriverMistakes{PublishesUse: func(d *resourceapi.Device, used bool) {
			if used {
				d.ConsumesCounters = nil
			}
		}}), Spec: "slices-do-not-depend-on-use",
		Want: []string{"should not depend on which devices are in use", "is published with"},
	},
	"driver changes what used devices are": {
		Options: wrong.With(fakecluster.DriverMistakes{PublishesUse: func(d *resourceapi.Device, used bool) {
			if used {
				d.Attributes["profile"] = resourceapi.DeviceAttribute{StringValue: ptr.To("used")}
			}
		}}), Spec: "slices-do-not-depend-on-use",
		Want: []string{"the allocation of claim first should satisfy its requests and constraints", "which its selector does not accept"},
	},
	"kubelet keeps the claims of completed pods prepared": {
		Options: wrong.With(fakecluster.KubeletMistakes{KeepsCompleted: true}), Spec: "ended-pod-is-unprepared",
		Want: []string{"claim claim should be prepared: false"},
	},
	"kubelet keeps the claims of failed pods prepared": {
		Options: wrong.With(fakecluster.KubeletMistakes{KeepsFailedPods: true}), Spec: "failed-pod-is-unprepared",
		Want: []string{"claim claim should be prepared: false"},
	},
	"kubelet keeps the claims of pods prepared that complete after a while": {
		Options: fakecluster.Options{Mistakes: fakecluster.MistakesOf(fakecluster.KubeletMistakes{KeepsCompleted: true}), Lag: 150 * time.Millisecond}, Spec: "ended-pod-is-unprepared",
		Want: []string{"claim claim should be prepared: false"},
	},
	"driver publishes a device that consumes an unknown counter": {
		Options: wrong.With(fakecluster.DriverMistakes{PublishesInvalid: true}), Spec: "slices-are-valid",
		Want: []string{"the ResourceSlices of driver mig.example.com should be valid", "unknown"},
	},
	"driver publishes the devices of a node with the name of its host": {
		Options: fakecluster.Options{Nodes: 2, Mistakes: fakecluster.MistakesOf(fakecluster.DriverMistakes{PublishesHostNames: true})}, Spec: "slices-are-valid",
		Want: []string{"the ResourceSlices of driver mig.example.com should be valid", "is of node node-2.example.com, which does not exist"},
	},
	"driver publishes a multi-host device that consumes an unknown counter": {
		Options: fakecluster.Options{Nodes: 4, TPU: "tpu.example.com", Mistakes: fakecluster.MistakesOf(fakecluster.DriverMistakes{PublishesInvalid: true})}, Spec: "multi-host-slices-are-valid",
		Want: []string{"the ResourceSlices of driver tpu.example.com should be valid", "unknown"},
	},
	"driver publishes a shared device that consumes an unknown counter": {
		Options: withNIC(fakecluster.DriverMistakes{PublishesInvalid: true}), Spec: "shared-slices-are-valid",
		Want: []string{"the ResourceSlices of driver nic.example.com should be valid", "unknown"},
	},
	"driver publishes fewer slices of multi-host devices than they state": {
		Options: fakecluster.Options{Nodes: 4, TPU: "tpu.example.com", Mistakes: fakecluster.MistakesOf(fakecluster.DriverMistakes{PublishesTooFew: true})}, Spec: "multi-host-pools-are-complete",
		Want: []string{"all pools of driver tpu.example.com should be complete", "slices of generation"},
	},
	"driver publishes fewer slices of shared devices than they state": {
		Options: withNIC(fakecluster.DriverMistakes{PublishesTooFew: true}), Spec: "shared-pools-are-complete",
		Want: []string{"all pools of driver nic.example.com should be complete", "slices of generation"},
	},
	"restarted driver leaves slices of multi-host devices": {
		Options: fakecluster.Options{Nodes: 4, TPU: "tpu.example.com", Mistakes: fakecluster.MistakesOf(fakecluster.DriverMistakes{RestartLeavesSlices: true})}, Spec: "multi-host-pools-stay-right-during-restart",
		Want: []string{"all pools of driver tpu.example.com should be complete", "slices of older generations than"},
	},
	"restarted driver leaves slices of shared devices": {
		Options: withNIC(fakecluster.DriverMistakes{RestartLeavesSlices: true}), Spec: "shared-pools-stay-right-during-restart",
		Want: []string{"all pools of driver nic.example.com should be complete", "slices of older generations than"},
	},
	"driver publishes standard attributes of exclusive devices in another format": {
		Options: wrong.With(fakecluster.DriverMistakes{PublishesBusIDs: true}), Spec: "exclusive-slices-use-standard-attributes",
		Want: []string{"the standard attributes that driver mig.example.com publishes should have the standard format", `resource.kubernetes.io/pcieRoot is "0000:3b:00.0", which does not match`, "resource.kubernetes.io/numaNode is -1"},
	},
	"driver publishes standard attributes of multi-host devices in another format": {
		Options: fakecluster.Options{Nodes: 4, TPU: "tpu.example.com", Mistakes: fakecluster.MistakesOf(fakecluster.DriverMistakes{PublishesBusIDs: true})}, Spec: "multi-host-slices-use-standard-attributes",
		Want: []string{"the standard attributes that driver tpu.example.com publishes should have the standard format"},
	},
	"driver publishes standard attributes of shared devices in another format": {
		Options: withNIC(fakecluster.DriverMistakes{PublishesBusIDs: true}), Spec: "shared-slices-use-standard-attributes",
		Want: []string{"the standard attributes that driver nic.example.com publishes should have the standard format"},
	},
	"driver publishes fewer slices than they state": {
		Options: wrong.With(fakecluster.DriverMistakes{PublishesTooFew: true}), Spec: "pools-are-complete",
		Want: []string{"all pools of driver mig.example.com should be complete", "slices of generation"},
	},
	"restarted driver renames its devices": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartRenames: true}), Spec: "device-names-outlive-restart",
		Want: []string{"allocations name devices, so that their names must not change", "-renamed"},
	},
	"restarted driver leaves slices of a higher generation": {
		Options: wrong.With(fakecluster.DriverMistakes{RestartLeavesSlices: true}), Spec: "pools-stay-right-during-restart",
		Want: []string{"all pools of driver mig.example.com should be complete", "slices of older generations than"},
	},
	"driver does not unprepare the claim of a pod that is deleted during its restart": {
		Options: wrong.With(fakecluster.DriverMistakes{NeverUnprepares: true}), Spec: "deleted-during-restart-is-unprepared",
		Want: []string{"claim deleted should be prepared: false"},
	},
	"pod that is created while the driver restarts is not started": {
		Options: wrong.With(fakecluster.KubeletMistakes{NeverStarts: true}), Spec: "created-during-restart-runs",
		Want: []string{"while waiting until pod created-0 runs"},
	},
	"restarted container does not see the device after the driver's restart": {
		Options: wrong.With(fakecluster.ContainerMistakes{RestartHides: true}), Spec: "container-restarts-after-driver-restart",
		Want: []string{"container workload of pod pod-0 should see the devices"},
	},
}
