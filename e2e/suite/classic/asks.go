// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/suite/pods"
)

// noScheduler is a scheduler that does not exist, so that the spec plays it.
const noScheduler = "draconform.dev-nobody"

// CreateUnscheduledPod creates a pod that no scheduler schedules, so that the spec plays
// the scheduler.
func (c *Cluster) CreateUnscheduledPod(ctx context.Context, name string, claimNames ...string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	return c.createPod(ctx, name, pods.Options{Change: leaveUnscheduled}, claimNames)
}

func leaveUnscheduled(spec *corev1.PodSpec) { spec.SchedulerName = noScheduler }

// Ask does what a scheduler does to get the claims of a pod allocated: it asks about
// potential nodes, and for the allocation for a node, unless that is empty.
func (c *Cluster) Ask(ctx context.Context, pod *corev1.Pod, selected string, potential ...string) {
	ginkgo.GinkgoHelper()
	c.ask(ctx, pod.Name, string(pod.UID), selected, potential)
}

// AskForDeletedPod is [Cluster.Ask] by a PodSchedulingContext that has the name of a pod,
// and whose owner is another one that does not exist any more. It stays until the end of
// the spec, although its owner does not exist.
func (c *Cluster) AskForDeletedPod(ctx context.Context, pod, selected string) {
	ginkgo.GinkgoHelper()
	c.ask(ctx, pod, "00000000-0000-0000-0000-000000000000", selected, nil, keepFinalizer)
	c.env.Cleanups = append(c.env.Cleanups, func(ctx context.Context) error { return c.removeKept(ctx, pod) })
}

// keepFinalizer keeps the garbage collector from removing a PodSchedulingContext.
const keepFinalizer = "draconform.dev/keep"

// RemoveKept removes the PodSchedulingContext of [Cluster.AskForDeletedPod].
func (c *Cluster) RemoveKept(ctx context.Context, pod string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("removing the PodSchedulingContext of the deleted pod " + pod)
	gomega.Expect(c.removeKept(ctx, pod)).To(gomega.Succeed())
	gomega.Eventually(ctx, func(ctx context.Context) bool {
		_, err := c.GetContext(ctx, pod)
		return apierrors.IsNotFound(err)
	}).WithTimeout(c.env.Timeouts.Deletion).Should(gomega.BeTrue(), "a PodSchedulingContext without finalizers should be removed")
}

func (c *Cluster) removeKept(ctx context.Context, pod string) error {
	err := c.patch(ctx, contexts, []string{pod}, object{"metadata": object{"finalizers": nil}})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove the finalizer of PodSchedulingContext %s: %w", pod, err)
	}
	return c.delete(ctx, contexts, pod)
}

func (c *Cluster) ask(ctx context.Context, pod, owner, selected string, potential []string, finalizers ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("asking the driver about pod %s: selected node %q, potential nodes %v", pod, selected, potential))
	spec := object{}
	if selected != "" {
		spec["selectedNode"] = selected
	}
	if len(potential) > 0 {
		spec["potentialNodes"] = potential
	}
	metadata := object{
		"name": pod, "finalizers": finalizers,
		"ownerReferences": []object{{"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": owner, "controller": true}},
	}
	gomega.Expect(c.create(ctx, contexts, "PodSchedulingContext", metadata, spec)).To(gomega.Succeed())
}

// SelectNode changes the selected node of [Cluster.Ask].
func (c *Cluster) SelectNode(ctx context.Context, pod, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("selecting node %s for pod %s", node, pod))
	gomega.Expect(c.patch(ctx, contexts, []string{pod}, object{"spec": object{"selectedNode": node}})).To(gomega.Succeed())
}

// AskAlsoAbout changes the potential nodes of [Cluster.Ask].
func (c *Cluster) AskAlsoAbout(ctx context.Context, pod string, nodes ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("asking the driver about nodes %v for pod %s", nodes, pod))
	gomega.Expect(c.patch(ctx, contexts, []string{pod}, object{"spec": object{"potentialNodes": nodes}})).To(gomega.Succeed())
}

// WaitForAnswers waits until the driver has answered about all claims of a pod, and has
// excluded exactly these nodes for each of them.
func (c *Cluster) WaitForAnswers(ctx context.Context, pod string, claims int, unsuitable []string) {
	ginkgo.GinkgoHelper()
	c.WaitForContext(ctx, pod, "the driver should answer about each claim of the pod", func(found Context) error {
		if len(found.Status.ResourceClaims) != claims {
			return fmt.Errorf("there are answers about %d of %d claims", len(found.Status.ResourceClaims), claims)
		}
		for _, answer := range found.Status.ResourceClaims {
			if !slices.Equal(answer.UnsuitableNodes, unsuitable) {
				return fmt.Errorf("the unsuitable nodes for claim %s are %v, and should be %v", answer.Name, answer.UnsuitableNodes, unsuitable)
			}
		}
		return nil
	})
}

// HasAnswers returns the condition of a PodSchedulingContext that has these answers, and
// perhaps others.
func HasAnswers(want ...Answer) func(Context) error {
	return func(found Context) error {
		for _, answer := range want {
			same := func(one Answer) bool {
				return one.Name == answer.Name && slices.Equal(one.UnsuitableNodes, answer.UnsuitableNodes)
			}
			if !slices.ContainsFunc(found.Status.ResourceClaims, same) {
				return fmt.Errorf("the answers are %v, without %v", found.Status.ResourceClaims, answer)
			}
		}
		return nil
	}
}

// CreateLeavingPod creates a pod that no scheduler schedules, and deletes it. It stays until
// the end of the spec because of a finalizer.
func (c *Cluster) CreateLeavingPod(ctx context.Context, name string, claimNames ...string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	pod := c.CreateUnscheduledPod(ctx, name, claimNames...)
	gomega.Expect(c.setPodFinalizers(ctx, name, keepFinalizer)).To(gomega.Succeed())
	// The cleanup of the spec waits until its pods are removed.
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		gomega.Expect(c.setPodFinalizers(ctx, name)).To(gomega.Succeed())
	})
	pods.DeleteWithoutWaiting(ctx, c.env, name)
	return pod
}

func (c *Cluster) setPodFinalizers(ctx context.Context, pod string, finalizers ...string) error {
	change, err := json.Marshal(object{"metadata": object{"finalizers": finalizers}})
	if err != nil {
		return fmt.Errorf("set the finalizers of pod %s: %w", pod, err)
	}
	_, err = c.env.Client.CoreV1().Pods(c.env.Namespace).Patch(ctx, pod, types.MergePatchType, change, metav1.PatchOptions{})
	return err
}

// BindPod binds a pod to a node, as a scheduler would.
func (c *Cluster) BindPod(ctx context.Context, pod, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("binding pod %s to node %s", pod, node))
	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: pod}, Target: corev1.ObjectReference{Kind: "Node", Name: node}}
	gomega.Expect(c.env.Client.CoreV1().Pods(c.env.Namespace).Bind(ctx, binding, metav1.CreateOptions{})).To(gomega.Succeed())
}

// Terminate deletes a pod that is bound to a simulated node, and leaves it time to end. It
// exists still, because no kubelet ends it.
func (c *Cluster) Terminate(ctx context.Context, pod string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("deleting pod " + pod + ", whose containers have time to end")
	c.env.Deleted("Pod", pod)
	const seconds = 600
	gomega.Expect(c.env.Client.CoreV1().Pods(c.env.Namespace).Delete(ctx, pod, *metav1.NewDeleteOptions(seconds))).To(gomega.Succeed())
}
