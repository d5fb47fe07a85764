// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// driverGoesOnWithoutPartitions does not use a device of the driver while partitions of it are
// in use and the gate is disabled. Nothing states then that the whole device is not free.
var driverGoesOnWithoutPartitions = suite.Spec{
	ID: "driver-goes-on-without-partitions",
	Description: "A driver of partitions that is killed while the gate DRAPartitionableDevices is disabled starts again: it knows the partitions of running " +
		"pods and unprepares them, and other pods use its devices. When the gate is enabled again, it has partitions after its next start.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.Partitions},
	Component:    env.Driver,
	Kinds:        []subject.Kind{subject.KindPartition},
	Needs:        []env.Need{env.NeedsDriverCalls, env.NeedsDriverRestart},
	Requirements: []string{"4815-off-driver-goes-on"},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: clusters.Newest().Minor, Gates: "default", Scheduler: skew.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			nodes := map[string]bool{} // on which partitions run
			goesOn := false            // whether the driver offers devices without the feature
			restart := func(ctx context.Context, r *journey.Run) {
				for node := range nodes {
					drivers.Restart(ctx, r.Env, r.Subject.Partitions.Small.Driver, node)
				}
			}
			remove := func(ctx context.Context, r *journey.Run, pod string) {
				node := pods.GetContainer(ctx, r.Env, pod).Node
				r.StopChecking(pod)
				pods.DeleteWithClaim(ctx, r.Env, pod)
				drivers.WaitForUnprepared(ctx, r.Env, r.Subject.Partitions.Small.Driver, node, pod)
			}
			return []journey.Step{
				{Text: "partitions run", Do: func(ctx context.Context, r *journey.Run) {
					for _, pod := range []string{"gpu-0", "gpu-1"} {
						r.CreateCheckedPod(ctx, pod, r.Subject.Partitions.Small)
						nodes[pods.GetContainer(ctx, r.Env, pod).Node] = true
					}
				}},
				{Text: "the gate is disabled and the driver is killed: its next process knows and unprepares partitions", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "DRAPartitionableDevices=false", deviceGateComponents...)
					restart(ctx, r)
					remove(ctx, r, "gpu-0")
				}},
				{Text: "no partition is in use: a device of the driver is", Do: func(ctx context.Context, r *journey.Run) {
					remove(ctx, r, "gpu-1")
					if goesOn = offersWithoutCounters(ctx, r, r.Subject.Partitions.Small.Driver); !goesOn {
						return
					}
					anyDevice := r.Subject.Partitions.Small
					anyDevice.Selector = ""
					r.CreateCheckedPod(ctx, "any", anyDevice)
				}},
				{Text: "the gate is enabled and the driver is killed: it has partitions again", Do: func(ctx context.Context, r *journey.Run) {
					if goesOn {
						remove(ctx, r, "any")
					}
					r.SetGates(ctx, "default", deviceGateComponents...)
					restart(ctx, r)
					r.CreateCheckedPod(ctx, "gpu-2", r.Subject.Partitions.Small)
				}},
			}
		},
	},
}

// offersWithoutCounters waits until a driver offers a device that consumes no counters, and
// reports whether it does in time. The KEP demands it only of drivers that are written to
// advertise their partitions as devices of their own: those of others, the whole devices
// included, may all consume counters.
func offersWithoutCounters(ctx context.Context, r *journey.Run, driver string) bool {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until driver %s offers a device that consumes no counters, if it does without the feature", driver))
	offered, err := env.GetLast(ctx, r.Timeouts.Recovery, func(ctx context.Context) (bool, error) {
		published, err := devices.ListSlices(ctx, r.Env, driver)
		return slices.ContainsFunc(published, hasWithoutCounters), err
	}, func(offered bool) bool { return offered })
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return offered
}

func hasWithoutCounters(slice resourceapi.ResourceSlice) bool {
	return slices.ContainsFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return len(d.ConsumesCounters) == 0 })
}
