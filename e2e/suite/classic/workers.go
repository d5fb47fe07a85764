// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/workload/report"
)

// Workers has the worker nodes of the cluster, and claims that the driver under test
// allocates.
type Workers struct {
	*Driven

	driver operations.ClassicDriver
}

// UseWorkers returns the worker nodes, whose devices are all free. It creates a
// DeviceClass. Everything is removed at the end of the spec, which must have
// [env.NeedsClassicDriver].
func UseWorkers(ctx context.Context, e *env.Env) *Workers {
	ginkgo.GinkgoHelper()
	nodes, err := e.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	w := &Workers{Driven: &Driven{Cluster: &Cluster{env: e}, name: e.Classic.Name(), devices: e.Classic.DevicesPerNode()}, driver: e.Classic}
	for _, node := range nodes.Items {
		if env.Schedulable(&node) {
			w.Nodes = append(w.Nodes, node.Name)
		}
	}
	slices.Sort(w.Nodes)
	gomega.Expect(w.Nodes).NotTo(gomega.BeEmpty(), "the cluster should have worker nodes")
	e.Cleanups = append(e.Cleanups, w.cleanUp)
	expectGivenOnce(e) //nolint:contextcheck // The context of the spec has ended by then.
	w.Class = w.CreateClass(ctx, "any", nil)
	return w
}

// CreatePodsOn creates pods for a node, with a claim of the same name each.
func (w *Workers) CreatePodsOn(ctx context.Context, node string, names ...string) {
	ginkgo.GinkgoHelper()
	w.CreateClaims(ctx, names...)
	for _, name := range names {
		w.CreatePodOn(ctx, name, node, name)
	}
}

// CreateLastingPodsOn is [Workers.CreatePodsOn] with containers that the kubelet restarts
// when they exit.
func (w *Workers) CreateLastingPodsOn(ctx context.Context, node string, names ...string) {
	ginkgo.GinkgoHelper()
	w.CreateClaims(ctx, names...)
	for _, name := range names {
		w.CreateLastingPodOn(ctx, name, node, name)
	}
}

// CreateLastingPodOn is [Workers.CreatePodOn] with a container that the kubelet restarts
// when it exits.
func (w *Workers) CreateLastingPodOn(ctx context.Context, name, node string, claimNames ...string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return w.createPod(ctx, name, pods.Options{Node: node, Restarts: true}, claimNames)
}

// CreateRestartingPodOn is [Workers.CreateLastingPodOn] with a container that exits after it
// has reported its devices, again and again.
func (w *Workers) CreateRestartingPodOn(ctx context.Context, name, node string, claimNames ...string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return w.createPod(ctx, name, pods.Options{Node: node, Restarts: true, Change: func(spec *corev1.PodSpec) {
		spec.Containers[0] = pods.CompletingContainer(pods.MainContainer, spec.Containers[0])
	}}, claimNames)
}

// FillNode creates a pod with a claim of the same name for each device of a node, and
// waits until they run. It returns their names.
func (w *Workers) FillNode(ctx context.Context, node, prefix, because string) []string {
	ginkgo.GinkgoHelper()
	names := w.Names(prefix, w.DevicesPerNode())
	w.CreatePodsOn(ctx, node, names...)
	w.WaitForRunning(ctx, because, names...)
	return names
}

// WaitForRunning waits until pods run. It asserts that each container sees the devices of
// its claims and no others, and that no two pods have the same device. Each pod has one
// claim with its name.
func (w *Workers) WaitForRunning(ctx context.Context, because string, names ...string) {
	ginkgo.GinkgoHelper()
	holders := map[string]string{}
	for _, name := range names {
		w.waitUntilRuns(ctx, name, because)
		claim, err := w.GetClaim(ctx, name)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		devices := claim.Status.Allocation.names()
		gomega.Expect(devices).To(gomega.HaveLen(1), "claim %s of a pod that runs should have the device that it requests", name)
		gomega.Expect(holders).NotTo(gomega.HaveKey(devices[0]), "device %s should be given to claim %s only", devices[0], name)
		holders[devices[0]] = name
		w.expectSeen(ctx, name, devices)
	}
}

// WaitForDevices waits until a pod with several claims runs. It asserts that each claim has a
// device of its own, and that the container sees all of them and no others.
func (w *Workers) WaitForDevices(ctx context.Context, pod, because string, claimNames ...string) {
	ginkgo.GinkgoHelper()
	w.waitUntilRuns(ctx, pod, because)
	var all []string
	for _, name := range claimNames {
		claim, err := w.GetClaim(ctx, name)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		devices := claim.Status.Allocation.names()
		gomega.Expect(devices).To(gomega.HaveLen(1), "claim %s of a pod that runs should have the device that it requests", name)
		gomega.Expect(all).NotTo(gomega.ContainElement(devices[0]), "device %s should be given to one claim only", devices[0])
		all = append(all, devices...)
	}
	w.expectSeen(ctx, pod, all)
}

func (w *Workers) waitUntilRuns(ctx context.Context, pod, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until pod %s runs", pod))
	syncTrigger := pods.NewSyncTrigger(w.env)
	gomega.Eventually(ctx, func(ctx context.Context) error { return w.runs(ctx, syncTrigger, pod) }).
		WithTimeout(w.env.Timeouts.PodStart).Should(gomega.Succeed(), because)
}

// runs returns why a pod does not run.
func (w *Workers) runs(ctx context.Context, syncTrigger *pods.SyncTrigger, name string) error {
	pod, err := w.env.Client.CoreV1().Pods(w.env.Namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case err != nil:
		return err
	case pod.Spec.NodeName == "":
		return fmt.Errorf("pod %s is not bound: %s", name, messageOf(pod))
	case pod.Status.Phase != corev1.PodRunning:
		syncTrigger.Trigger(ctx, pod)
		return fmt.Errorf("pod %s is %s on node %s", name, pod.Status.Phase, pod.Spec.NodeName)
	}
	return nil
}

// WaitForRunningWithout waits until a pod runs whose container sees no devices, although
// its claim has one.
func (w *Workers) WaitForRunningWithout(ctx context.Context, pod, because string) {
	ginkgo.GinkgoHelper()
	w.waitUntilRuns(ctx, pod, because)
	claim, err := w.GetClaim(ctx, pod)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(claim.Status.Allocation.names()).To(gomega.HaveLen(1), "claim %s of a pod that runs should have the device that it requests", pod)
	w.expectSeen(ctx, pod, nil)
}

func (w *Workers) expectSeen(ctx context.Context, pod string, want []string) {
	ginkgo.GinkgoHelper()
	ExpectSeen(ctx, w.env, pod, want)
}

// ExpectSeen asserts which devices of the driver under test, as pool/name, the container of
// a pod sees.
func ExpectSeen(ctx context.Context, e *env.Env, pod string, want []string) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) ([]string, error) { return seen(ctx, e, pod) }).
		WithTimeout(e.Timeouts.PodStart).Should(gomega.ConsistOf(want), "the container of pod %s should see the devices of its claim and no others", pod)
}

// seen returns the devices that the container of a pod sees, as pool/name.
func seen(ctx context.Context, e *env.Env, pod string) ([]string, error) {
	log, err := pods.GetLog(ctx, e, pod, pods.MainContainer)
	if err != nil {
		return nil, err
	}
	reported, err := report.Read(log)
	if err != nil {
		return nil, err
	}
	return e.Classic.Seen(reported.Env)
}

// DeletePods deletes pods, and waits until they are removed. Force does not wait until the
// kubelet has ended them.
func (w *Workers) DeletePods(ctx context.Context, force bool, names ...string) {
	ginkgo.GinkgoHelper()
	if !force {
		pods.Delete(ctx, w.env, names...)
		return
	}
	for _, name := range names {
		ginkgo.By("deleting pod " + name + " by force")
		gomega.Expect(w.env.Client.CoreV1().Pods(w.env.Namespace).Delete(ctx, name, *metav1.NewDeleteOptions(0))).To(gomega.Succeed())
	}
}

// cleanUp restores the driver and removes the claims.
func (w *Workers) cleanUp(ctx context.Context) error {
	err := w.releaseClaims(ctx, w.driver)
	return errors.Join(err, w.Cluster.cleanUp(ctx))
}
