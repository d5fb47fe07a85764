// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// CreateCheckedPod creates a pod with a claim for one device, waits until it
// runs, and checks it after each step. Its container is killed after some of
// the steps, and must restart with the same device.
func (r *Run) CreateCheckedPod(ctx context.Context, name string, device subject.Device) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim and pod %s", name))
	claim, err := claims.Create(ctx, r.Env, name, devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: device}}))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = pods.Create(ctx, r.Env, name, pods.Options{Restarts: true}, claim)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	pods.WaitForRunning(ctx, r.Env, name)
	r.CheckAfterEachStep(ctx, name)
}

// CheckAfterEachStep adds pods to those that are checked after each step of a
// journey. The pods must be running, or scheduled to simulated nodes. No change
// of the cluster may affect them or their current devices. Their claims get metadata and
// a status of their devices, which must stay, too.
func (r *Run) CheckAfterEachStep(ctx context.Context, names ...string) {
	ginkgo.GinkgoHelper()
	now, err := r.getObjects(ctx)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	for _, name := range names {
		pod, ok := now.pods[name]
		gomega.Expect(ok).To(gomega.BeTrue(), "pod %s should exist", name)
		k := checkedPod{name: name, node: pod.Spec.NodeName, uid: pod.UID, allocations: map[string]*resourceapi.AllocationResult{}}
		if pod.Status.Phase == corev1.PodRunning {
			k.container = pods.GetContainer(ctx, r.Env, name).ID
		}
		for _, name := range pods.ClaimNames(&pod) {
			claim := now.claims[name]
			k.devices = append(k.devices, audit.Allocated(&claim)...)
			k.allocations[name] = claim.Status.Allocation
		}
		r.checked.pods = append(r.checked.pods, k)
		r.mark(ctx, pods.ClaimNames(&pod)...)
	}
}

// StopChecking removes pods from the checks. A step calls it before it deletes
// the pods.
func (r *Run) StopChecking(names ...string) {
	r.checked.pods = slices.DeleteFunc(r.checked.pods, func(k checkedPod) bool { return slices.Contains(names, k.name) })
}

// expectUnchanged asserts that the checked pods and the other objects of the
// spec are unchanged. After a change it also kills the container of one of
// these pods, and asserts that the container restarts with its devices.
func (r *Run) expectUnchanged(ctx context.Context, changed bool) {
	ginkgo.GinkgoHelper()
	var now objects
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		now, err = r.getObjects(ctx)
		return err
	}).WithTimeout(r.Timeouts.Recovery).Should(gomega.Succeed(), "the API server should respond")
	gomega.Expect(r.checked.changes(now)).To(gomega.BeEmpty(), "workloads and their objects should be unchanged")
	r.checked.see(now)
	for _, k := range r.checked.pods {
		if k.container != "" {
			r.expectDevices(ctx, k.name, k.devices)
		}
	}
	if changed {
		r.restartOne(ctx)
	}
	r.expectUpdatesKeepFields(ctx)
	r.expectNoOverallocation(ctx)
}

// restartOne kills the container of the checked pod with the fewest restarts.
func (r *Run) restartOne(ctx context.Context) {
	ginkgo.GinkgoHelper()
	k := r.checked.toRestart()
	if k == nil {
		return
	}
	ginkgo.By(fmt.Sprintf("restarting the container of pod %s", k.name))
	before := pods.GetContainer(ctx, r.Env, k.name)
	gomega.Expect(r.Changer.KillContainer(ctx, before.Node, before.ID)).To(gomega.Succeed())
	// The pod keeps its devices even if ResourceSlices do not offer them any
	// more.
	pods.WaitForOtherContainer(ctx, r.Env, before, "its process was killed")
	k.container = pods.GetContainer(ctx, r.Env, k.name).ID
	k.restarts++
	r.expectDevices(ctx, k.name, k.devices)
}
