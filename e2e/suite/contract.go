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

// DriverNode is a node on which a driver has devices, and which pods can be
// scheduled to. One that has started again is such a node only after a while.
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

// Disturb lets a fault happen to the next calls that a driver gets on a node, at
// most until the spec ends.
func (e *Env) Disturb(ctx context.Context, driver, node string, fault calls.Fault) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("letting %s of driver %s on node %s %s", fault.Method, driver, node, fault.Action))
	e.steer(ctx, driver, node, func(ctx context.Context, pod Driver) error { return pod.Inject(ctx, driver, fault) })
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		e.release(ctx, driver, node)
	}, ginkgo.NodeTimeout(e.Timeouts.Gone))
}

// Undisturb ends all faults of a driver on a node.
func (e *Env) Undisturb(ctx context.Context, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("ending the faults of driver %s on node %s", driver, node))
	e.release(ctx, driver, node)
}

func (e *Env) release(ctx context.Context, driver, node string) {
	ginkgo.GinkgoHelper()
	e.steer(ctx, driver, node, func(ctx context.Context, pod Driver) error { return pod.Release(ctx, driver) })
}

// Delete asks for the end of a pod, and does not wait for it. By force means
// that the pod is gone at once, whatever the kubelet still has to do.
func (e *Env) Delete(ctx context.Context, pod string, byForce bool) {
	ginkgo.GinkgoHelper()
	options := e.podDeletion()
	how := "deleting"
	if byForce {
		how, options.GracePeriodSeconds = "deleting by force", ptr.To[int64](0)
	}
	ginkgo.By(fmt.Sprintf("%s pod %s", how, pod))
	gomega.Expect(e.Client.CoreV1().Pods(e.Namespace).Delete(ctx, pod, options)).To(gomega.Succeed())
	delete(e.kept.seen.pods, pod)
}

// StaysHeld asserts that for a while after its containers have ended a pod that is
// deleted, and the devices of its claim, stay.
func (e *Env) StaysHeld(ctx context.Context, pod, claim, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("looking whether claim %s keeps its devices", claim))
	// Before that a kubelet has nothing to decide.
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
