package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/calls"
)

// DriverNode returns a schedulable node on which a driver has devices. It waits
// for such a node, because a node is not schedulable immediately after a
// restart.
func (e *Env) DriverNode(ctx context.Context, driver string) string {
	ginkgo.GinkgoHelper()
	var name string
	gomega.Eventually(ctx, func(ctx context.Context) error {
		all, err := e.slicesOf(ctx, driver)
		if err != nil {
			return err
		}
		nodes, err := e.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("list nodes: %w", err)
		}
		i := slices.IndexFunc(nodes.Items, func(node corev1.Node) bool {
			return Schedulable(&node) && slices.ContainsFunc(all, func(s resourceapi.ResourceSlice) bool { return ptr.Deref(s.Spec.NodeName, "") == node.Name })
		})
		if i < 0 {
			return fmt.Errorf("none of %d nodes is schedulable and has one of its %d slices", len(nodes.Items), len(all))
		}
		name = nodes.Items[i].Name
		return nil
	}).WithTimeout(e.Timeouts.Recover).Should(gomega.Succeed(), "driver %s should have devices on a node that pods can be scheduled to", driver)
	return name
}

// Disturb injects a fault into the next calls that a driver receives on a node.
// The fault is removed at the end of the spec at the latest.
func (e *Env) Disturb(ctx context.Context, driver, node string, fault calls.Fault) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("letting %s of driver %s on node %s %s", fault.Method, driver, node, fault.Action))
	e.steer(ctx, driver, node, func(ctx context.Context, pod Driver) error { return pod.Inject(ctx, driver, fault) })
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		e.release(ctx, driver, node)
	}, ginkgo.NodeTimeout(e.Timeouts.Gone))
}

// Undisturb removes all faults of a driver on a node.
func (e *Env) Undisturb(ctx context.Context, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("ending the faults of driver %s on node %s", driver, node))
	e.release(ctx, driver, node)
}

func (e *Env) release(ctx context.Context, driver, node string) {
	ginkgo.GinkgoHelper()
	e.steer(ctx, driver, node, func(ctx context.Context, pod Driver) error { return pod.Release(ctx, driver) })
}

// Delete deletes a pod and does not wait until it is removed. If byForce is
// set, the grace period is zero: the API server removes the pod immediately,
// without waiting for the kubelet.
func (e *Env) Delete(ctx context.Context, pod string, byForce bool) {
	ginkgo.GinkgoHelper()
	options := e.podDeletion()
	how := "deleting"
	if byForce {
		how, options.GracePeriodSeconds = "deleting by force", ptr.To[int64](0)
	}
	ginkgo.By(fmt.Sprintf("%s pod %s", how, pod))
	gomega.Expect(e.Client.CoreV1().Pods(e.Namespace).Delete(ctx, pod, options)).To(gomega.Succeed())
	e.Deleted("Pod", pod)
}

// StaysHeld asserts that a deleted pod and the devices of its claim stay for a
// while after the pod's containers have ended.
func (e *Env) StaysHeld(ctx context.Context, pod, claim, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("looking whether claim %s keeps its devices", claim))
	// The kubelet can finish the deletion only after the grace period.
	e.staysFor(ctx, gracePeriod+e.Timeouts.Settle, func(ctx context.Context) (broken, unseen error) {
		_, podErr := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, pod, metav1.GetOptions{})
		got, claimErr := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
		switch err := errors.Join(podErr, claimErr); {
		case apierrors.IsNotFound(podErr) || apierrors.IsNotFound(claimErr):
			return err, nil
		case err != nil:
			return nil, err
		case got.Status.Allocation == nil || len(got.Status.ReservedFor) == 0:
			return fmt.Errorf("claim %s has lost its devices: allocation %v, reserved for %v", claim, got.Status.Allocation, got.Status.ReservedFor), nil
		}
		return nil, nil
	}, "pod %s and the devices of claim %s should stay, because %s", pod, claim, because)
}
