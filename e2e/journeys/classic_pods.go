// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"
	"errors"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicPods are pods on one node, each with a claim of the same name that the driver
// under test allocates.
type classicPods struct {
	*classic.Workers

	node string
	// users are the pods that have the devices of the node at first.
	users []string
	// limited is a DeviceClass with suitableNodes.
	limited string
}

// start gives all devices of the node to pods. It creates one more pod, and a claim for a
// later one.
func (p *classicPods) start(ctx context.Context, r *journey.Run) {
	ginkgo.GinkgoHelper()
	p.Workers = classic.UseWorkers(ctx, r.Env)
	p.node, p.users = p.Nodes[0], p.Names("user", p.DevicesPerNode())
	gomega.Expect(p.users).To(gomega.HaveLen(2), "the journey is written for nodes with two devices")
	p.limited = p.CreateClass(ctx, "limited", map[string]string{corev1.LabelHostname: p.node})
	p.CreateLastingPodsOn(ctx, p.node, p.users...)
	p.run(ctx, r, "there is a device for each pod", p.users...)
	p.CreateClaims(ctx, "early")
	p.CreateLastingPodsOn(ctx, p.node, "waiting")
	p.expectWaits(ctx, "waiting", "all devices of the node are in use")
}

// run waits until pods run, and checks them after each step.
func (p *classicPods) run(ctx context.Context, r *journey.Run, because string, names ...string) {
	ginkgo.GinkgoHelper()
	p.WaitForRunning(ctx, because, names...)
	for _, name := range names {
		p.WaitForClaim(ctx, name, "the driver has allocated the claim", p.AllocatedOn(p.node))
	}
	r.CheckAfterEachStep(ctx, names...)
}

// release deletes a pod and its claim, and waits until the driver has deallocated it.
func (p *classicPods) release(ctx context.Context, r *journey.Run, name string) {
	ginkgo.GinkgoHelper()
	r.StopChecking(name)
	p.DeletePods(ctx, false, name)
	p.DeleteUnusedClaims(ctx, name)
}

// expectWaits asserts that a pod is not bound, and that its claim is not allocated.
func (p *classicPods) expectWaits(ctx context.Context, name, because string) {
	ginkgo.GinkgoHelper()
	p.ExpectNotBound(ctx, name, because)
	p.ExpectClaimStays(ctx, name, because, classic.Pending)
}

// expectUnsupported asserts that the scheduler has considered a pod, and neither asks the
// driver about it nor binds it.
func (p *classicPods) expectUnsupported(ctx context.Context, name string) {
	ginkgo.GinkgoHelper()
	const because = "the scheduler does not support claims of drivers"
	p.WaitForUnschedulable(ctx, name, because)
	p.ExpectNoContext(ctx, name, because)
	p.expectWaits(ctx, name, because)
}

// expectFieldsKept updates objects that have fields of the feature.
func (p *classicPods) expectFieldsKept(ctx context.Context) {
	ginkgo.GinkgoHelper()
	for _, claim := range []string{"early", p.users[0]} {
		p.Annotate(ctx, claim)
		p.expectDriver(ctx, claim)
	}
	p.AnnotateClass(ctx, p.limited)
	class, err := p.GetClass(ctx, p.limited)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(class.Spec.SuitableNodes).NotTo(gomega.BeNil(), "an update of class %s should keep spec.suitableNodes", p.limited)
}

// expectFieldsDropped creates objects with fields of the feature, and a pod that uses the
// claim.
func (p *classicPods) expectFieldsDropped(ctx context.Context) {
	ginkgo.GinkgoHelper()
	p.CreatePodsOn(ctx, p.node, "late")
	claim, err := p.GetClaim(ctx, "late")
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(claim.Spec.Controller).To(gomega.BeEmpty(), "spec.controller of new claim late should be dropped")
	name := p.CreateClass(ctx, "late", map[string]string{corev1.LabelHostname: p.node})
	class, err := p.GetClass(ctx, name)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(class.Spec.SuitableNodes).To(gomega.BeNil(), "spec.suitableNodes of new class %s should be dropped", name)
}

// expectDriver asserts that the spec of a claim names its driver.
func (p *classicPods) expectDriver(ctx context.Context, name string) {
	ginkgo.GinkgoHelper()
	p.WaitForClaim(ctx, name, "the API server should store spec.controller", func(claim classic.Claim) error {
		if claim.Spec.Controller == "" {
			return errors.New("claim " + name + " has no spec.controller")
		}
		return nil
	})
}

// startWithoutDevices disables DRA for kubelets, which then start pods without the devices
// of their claims. The containers of running pods are not restarted: they would lose
// theirs.
func (p *classicPods) startWithoutDevices(ctx context.Context, r *journey.Run) {
	ginkgo.GinkgoHelper()
	p.release(ctx, r, "early")
	r.StopChecking("waiting")
	before := pods.GetContainer(ctx, r.Env, "waiting")
	r.SetGates(ctx, allOff, skew.Kubelet)
	p.CreatePodsOn(ctx, p.node, "without")
	p.WaitForRunningWithout(ctx, "without", "a kubelet without the feature ignores claims")
	p.WaitForRunning(ctx, "it has run all the time", "waiting")
	gomega.Expect(pods.GetContainer(ctx, r.Env, "waiting")).To(gomega.Equal(before), "the container of pod waiting should not be restarted")
	p.release(ctx, r, "without")
}
