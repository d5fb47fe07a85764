// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// Gates of the components of Kubernetes 1.31, the last release with classic DRA.
const (
	classicOn  = "alpha"
	classicOff = "alpha,DRAControlPlaneController=false"
	allOff     = "alpha,DynamicResourceAllocation=false"
)

// classicCluster is the initial cluster of journeys from Kubernetes 1.31.
var classicCluster = journey.InitialCluster{Release: "1.31", Gates: classicOn, Scheduler: skew.KubeScheduler, Workers: 1}

// classicGateOffAndOn disables the gate in one group of components after the other, as
// administrators do. Only the API server and the scheduler depend on it. Kubelets depend on
// the gate of all of DRA, which it disables for them at the end.
var classicGateOffAndOn = suite.Spec{
	ID: "classic-gate-off-and-on",
	Description: "While the gate DRAControlPlaneController is disabled, running pods keep the devices that a driver has " +
		"allocated, objects keep the fields of the feature, and new pods wait. When it is enabled again, they get what is free.",
	Profile:   profile,
	Level:     suite.Provisional,
	Features:  []features.Feature{features.ControlPlaneController},
	Component: env.Cluster,
	MinNodes:  1,
	Needs:     []env.Need{env.NeedsClassicDriver},
	Requirements: []string{
		"3063-fields-kept",
		"3063-fields-dropped",
		"3063-kubelet-without-feature",
	},
	Journey: &journey.Journey{
		// The bundled scheduler has no classic DRA.
		OfSchedulers:   true,
		InitialCluster: classicCluster,
		Steps: func() []journey.Step {
			p := &classicPods{}
			return []journey.Step{
				{Text: "pods have all devices of a node, and one waits", Do: p.start},
				{Text: "the gate is disabled for the API server: fields in use are kept, new objects have none, and the pod that waits gets a released device", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, classicOff, apiServer...)
					p.expectFieldsKept(ctx)
					p.expectFieldsDropped(ctx)
					p.release(ctx, r, p.users[0])
					p.run(ctx, r, "a device is free", "waiting")
				}},
				{Text: "the gate is disabled for controller manager and scheduler: pods wait although a device is free", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, classicOff, controllersAndScheduler...)
					p.release(ctx, r, p.users[1])
					p.CreateLastingPodOn(ctx, "early", p.node, "early")
					p.expectUnsupported(ctx, "early")
				}},
				{Text: "the gate is disabled for kubelets: the pods still wait", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, classicOff, skew.Kubelet)
					p.WaitForRunning(ctx, "its kubelet has restarted only", "waiting")
					p.expectUnsupported(ctx, "early")
				}},
				{Text: "the gate is enabled for API server and controller manager: new claims have the field, and their pods wait", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, classicOn, skew.APIServer, skew.ControllerManager)
					p.CreateLastingPodsOn(ctx, p.node, "again")
					p.expectDriver(ctx, "again")
					p.expectUnsupported(ctx, "early")
					p.expectUnsupported(ctx, "again")
					// It would compete with the other one for the only free device.
					p.release(ctx, r, "again")
				}},
				{Text: "the gate is enabled for scheduler and kubelets: a pod that waits gets the free device, and no other pod does", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, classicOn, skew.Scheduler, skew.Kubelet)
					p.run(ctx, r, "a device is free", "early")
					p.WaitForRunning(ctx, "each has its own device", "waiting", "early")
					p.CreatePodsOn(ctx, p.node, "too-many")
					p.expectWaits(ctx, "too-many", "all devices of the node are in use")
					p.expectWaits(ctx, "late", "no driver allocates its claim, which has lost the field")
					p.release(ctx, r, "too-many")
				}},
				{Text: "all of DRA is disabled for kubelets: pods start without devices", Do: p.startWithoutDevices},
				{Text: "it is enabled again: a released device is given to a new pod", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, classicOn, skew.Kubelet)
					p.CreateLastingPodsOn(ctx, p.node, "last")
					p.run(ctx, r, "a device is free", "last")
					p.WaitForRunning(ctx, "each has its own device", "waiting", "last")
					r.CheckAfterEachStep(ctx, "waiting")
				}},
			}
		},
	},
}
