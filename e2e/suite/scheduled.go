package suite

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
)

// Scheduled waits until the pod with this name is bound to a node, and asserts
// what [Env.Runs] does, except of the container. It is for pods on a [Stage].
func (e *Env) Scheduled(ctx context.Context, name string) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until pod %s is scheduled", name))
	var pod *corev1.Pod
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		pod, err = e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if pod.Spec.NodeName != "" {
			return nil
		}
		return fmt.Errorf("pod %s is not scheduled: %s", name, e.whyNot(ctx, pod))
	}).WithTimeout(e.Timeouts.Run).Should(gomega.Succeed(), "the pod should be scheduled, because its claims fit")
	return e.fulfilled(ctx, pod)
}

// Node is where a pod was scheduled.
func (e *Env) Node(ctx context.Context, pod string) string {
	ginkgo.GinkgoHelper()
	got, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, pod, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return got.Spec.NodeName
}

// fulfilled asserts of a pod with a node that its claims were allocated what they
// ask for, that the node has these devices, and that nothing in the cluster is
// overdrawn. It returns the devices.
func (e *Env) fulfilled(ctx context.Context, pod *corev1.Pod) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	node, err := e.Client.CoreV1().Nodes().Get(ctx, pod.Spec.NodeName, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	var all []audit.DeviceID
	for _, name := range claimNames(pod) {
		claim, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		allocated := audit.Allocated(claim)
		inventory := e.offered(ctx, claim.Name, allocated)
		gomega.Expect(inventory.Unfulfilled(ctx, claim)).To(gomega.BeEmpty(), "claim %s should have what its requests and constraints ask for", claim.Name)
		gomega.Expect(inventory.NotOn(node, allocated)).To(gomega.BeEmpty(), "pod %s should run on a node that has its devices", pod.Name)
		all = append(all, allocated...)
	}
	e.NothingOverdrawn(ctx)
	return all
}

// claimNames are the claims of a pod: those that it names, and those that were
// made for it from a template.
func claimNames(pod *corev1.Pod) []string {
	var names []string
	for _, c := range pod.Spec.ResourceClaims {
		if c.ResourceClaimName != nil {
			names = append(names, *c.ResourceClaimName)
		}
	}
	for _, c := range pod.Status.ResourceClaimStatuses {
		if c.ResourceClaimName != nil {
			names = append(names, *c.ResourceClaimName)
		}
	}
	return names
}
