// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// versionOf132 is the version of the API of Kubernetes 1.32 and 1.33.
const versionOf132 = "v1beta1"

// classicUpgradeTo132 upgrades a cluster to the release that has no classic DRA any more, as
// the urgent upgrade notes of that release ask for: without workloads that depend on it and
// without PodSchedulingContexts.
var classicUpgradeTo132 = suite.Spec{
	ID: "classic-upgrade-to-1-32",
	Description: "When the workloads of a classic driver are removed before an upgrade from Kubernetes 1.31 to 1.32, nothing of them " +
		"is left afterwards, claims name no driver any more, and the scheduler allocates devices.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.ControlPlaneController},
	Component:    env.Cluster,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver, env.NeedsSimulatedNodes},
	Requirements: []string{"3063-upgrade-to-1-32"},
	Journey: &journey.Journey{
		OfSchedulers:   true,
		InitialCluster: classicCluster,
		Steps: func() []journey.Step {
			p := &classicPods{}
			return []journey.Step{
				{Text: "pods have all devices of a node, and one waits", Do: p.start},
				{Text: "the workloads and the driver are removed: the driver frees all claims", Do: func(ctx context.Context, r *journey.Run) {
					p.removeAll(ctx, r)
				}},
				{Text: "the cluster is upgraded to 1.32: no object is left, and the API of classic DRA is gone", Do: func(ctx context.Context, r *journey.Run) {
					upgradeWithoutDRA(ctx, r, "1.32")
					p.ExpectContextsNotServed(ctx)
					expectNoClassicObjects(ctx, r)
				}},
				{Text: "the scheduler allocates devices, also for a claim that named a driver", Do: func(ctx context.Context, r *journey.Run) {
					after := classic.CreateStructured(ctx, r.Env, versionOf132, 1)
					class := after.PublishDevices(ctx, after.Nodes[0], 2)
					after.CreateClaim(ctx, "structured", "", class)
					after.CreateClaim(ctx, "former", r.Classic.Name(), class)
					for _, name := range []string{"structured", "former"} {
						after.CreatePod(ctx, name, name)
						gomega.Expect(after.WaitForBound(ctx, name, "the scheduler has devices for both claims")).To(gomega.Equal(after.Nodes[0]))
						claim, err := after.GetClaim(ctx, name)
						gomega.Expect(err).NotTo(gomega.HaveOccurred())
						gomega.Expect(claim.Spec.Controller).To(gomega.BeEmpty(), "1.32 has no field spec.controller")
					}
					r.CheckAfterEachStep(ctx, "structured", "former")
				}},
			}
		},
	},
}

// upgradeWithoutDRA upgrades all components while DRA is disabled, because controllers do
// not start with the API of the other release, and enables it again.
func upgradeWithoutDRA(ctx context.Context, r *journey.Run, release string) {
	r.SetGates(ctx, gatesByDefault)
	r.Upgrade(ctx, release)
	r.SetGates(ctx, classicOn)
}

// removeAll deletes the pods, claims and classes of the journey, which the driver deallocates,
// and stops its controller.
func (p *classicPods) removeAll(ctx context.Context, r *journey.Run) {
	all := append(slices.Clone(p.users), "waiting", "early")
	r.StopChecking(all...)
	pods.Delete(ctx, r.Env, "waiting") // It would get a device of the others.
	pods.Delete(ctx, r.Env, p.users...)
	p.DeleteUnusedClaims(ctx, all...)
	p.ExpectNoContexts(ctx, "all pods are removed")
	for _, class := range []string{p.limited, p.Class} {
		p.DeleteClass(ctx, class)
	}
	gomega.Expect(r.Classic.Scale(ctx, 0)).To(gomega.Succeed())
}

// classicUpgradeWithWorkloads is the upgrade that the notes of 1.32 warn of.
var classicUpgradeWithWorkloads = suite.Spec{
	ID: "classic-upgrade-to-1-32-with-workloads",
	Description: "When the workloads of a classic driver are kept during an upgrade from Kubernetes 1.31 to 1.32, bound pods keep their " +
		"allocations, claims of pods that wait get none, and claims are freed by hand only.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.ControlPlaneController},
	Component:    env.Cluster,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver, env.NeedsSimulatedNodes},
	Requirements: []string{"3063-upgrade-with-workloads"},
	Journey: &journey.Journey{
		OfSchedulers:   true,
		InitialCluster: classicCluster,
		Steps: func() []journey.Step {
			k := &keptClassicPods{}
			return []journey.Step{
				{Text: "pods have all devices of a node, and one waits", Do: k.start},
				{Text: "the cluster is upgraded to 1.32: bound pods keep their allocations, and claims lose their driver", Do: k.upgrade},
				{Text: "a claim that a pod has waited for gets no devices, and a new pod is unschedulable: the scheduler asks no driver", Do: k.expectNotAllocated},
				{Text: "a claim that no pod uses any more stays allocated, even if it is deleted", Do: k.expectNotFreed},
				{Text: "all claims are freed by hand", Do: k.freeByHand},
			}
		},
	},
}

// keptClassicPods are pods on a simulated node, each with a claim of the same name, that an
// upgrade does not spare. A kubelet with other feature gates would disturb others.
type keptClassicPods struct {
	*classic.Driven

	users []string
	// generated is a claim that is deleted with its pod.
	generated string
}

func (k *keptClassicPods) start(ctx context.Context, r *journey.Run) {
	k.Driven = classic.UseDriver(ctx, r.Env, 1)
	k.users = k.Names("user", k.DevicesPerNode())
	k.CreateClaims(ctx, append(slices.Clone(k.users), "waiting")...)
	for _, name := range k.users {
		k.CreatePod(ctx, name, name)
		k.WaitForBound(ctx, name, "there is a device for each pod")
		k.WaitForClaim(ctx, name, "the driver has allocated the claim", k.AllocatedOn(k.Nodes[0]))
	}
	k.CreatePod(ctx, "waiting", "waiting")
	k.WaitForContext(ctx, "waiting", "the scheduler should ask the driver about the pod", func(classic.Context) error { return nil })
	k.ExpectNotBound(ctx, "waiting", "all devices of the node are in use")
}

func (k *keptClassicPods) upgrade(ctx context.Context, r *journey.Run) {
	for _, name := range append(slices.Clone(k.users), "waiting") {
		r.Deleted("ResourceClaim", name) // 1.32 has fewer fields, which is what the step asserts.
	}
	upgradeWithoutDRA(ctx, r, "1.32")
	k.UseVersion(versionOf132)
	k.ExpectContextsNotServed(ctx)
	for _, name := range k.users {
		gomega.Expect(k.WaitForBound(ctx, name, "it was bound before")).To(gomega.Equal(k.Nodes[0]))
		k.WaitForClaim(ctx, name, "the claim should keep its allocation, and lose its driver", func(claim classic.Claim) error {
			switch {
			case claim.Status.Allocation == nil || len(claim.Status.ReservedFor) != 1:
				return fmt.Errorf("claim %s has the status %+v", name, claim.Status)
			case claim.Spec.Controller != "" || claim.Status.Allocation.Controller != "":
				return fmt.Errorf("claim %s has the driver %q, and is allocated by %q", name, claim.Spec.Controller, claim.Status.Allocation.Controller)
			}
			return nil
		})
	}
}

// expectNotAllocated checks the claim only of the pod that waited during the upgrade: while
// DRA is disabled, the scheduler does not look at claims and may have bound it.
func (k *keptClassicPods) expectNotAllocated(ctx context.Context, _ *journey.Run) {
	k.CreateClaims(ctx, "late")
	k.CreatePod(ctx, "late", "late")
	k.WaitForUnschedulable(ctx, "late", "no ResourceSlice has a device for its claim, and no driver is asked")
	k.ExpectNotBound(ctx, "late", "its claim cannot be allocated")
	for _, name := range []string{"waiting", "late"} {
		k.ExpectClaimStays(ctx, name, "no driver allocates it, and the scheduler has no devices for it", classic.Pending)
	}
}

// awaitControllerManager waits until kube-controller-manager works, which the journey has killed: that
// of 1.32 does not look at its start for claims that are reserved for pods that do not exist any more
// (pkg/controller/resourceclaim/controller.go, enqueueResourceClaim; repaired in 1.33).
func (k *keptClassicPods) awaitControllerManager(ctx context.Context) {
	gomega.Expect(k.TryCreateTemplate(ctx, "template", "")).To(gomega.Succeed())
	k.CreatePodOfTemplates(ctx, "generated", "template", "device")
	k.generated = k.WaitForGeneratedClaims(ctx, "generated", "device")["device"]
}

func (k *keptClassicPods) expectNotFreed(ctx context.Context, r *journey.Run) {
	k.awaitControllerManager(ctx)
	user := k.users[0]
	pods.Delete(ctx, r.Env, user)
	unused := func(claim classic.Claim) error {
		if claim.Status.Allocation == nil || len(claim.Status.ReservedFor) > 0 {
			return fmt.Errorf("claim %s has the status %+v", user, claim.Status)
		}
		return nil
	}
	k.WaitForClaim(ctx, user, "the reservation of the deleted pod should be removed", unused)
	k.DeleteClaim(ctx, user)
	k.ExpectClaimStays(ctx, user, "its driver would have to deallocate it, and Kubernetes has no part in it", unused)
}

func (k *keptClassicPods) freeByHand(ctx context.Context, r *journey.Run) {
	r.Deleted("ResourceClaim", k.generated)
	rest := append(slices.Clone(k.users[1:]), "waiting", "late")
	pods.Delete(ctx, r.Env, append(slices.Clone(rest), "generated")...)
	for _, name := range append(rest, k.users[0]) {
		k.DeleteClaimByForce(ctx, name)
		k.WaitForClaimRemoved(ctx, name, "it has no finalizers any more")
	}
}
