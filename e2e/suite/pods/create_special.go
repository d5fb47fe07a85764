package pods

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// CreateBoundToNode creates a pod that is already bound to a node, without a scheduler. The
// claims that the pod uses need not exist.
func CreateBoundToNode(ctx context.Context, e *env.Env, node, pod string, claimNames ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("putting pod %s, which uses %s, on node %s", pod, plural("claim", claimNames), node))
	var used []*resourceapi.ResourceClaim
	for _, name := range claimNames {
		used = append(used, &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	_, err := Create(ctx, e, pod, Options{Change: func(spec *corev1.PodSpec) { spec.NodeName = node }}, used...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// CreateFromClaimTemplate creates a pod whose only claim is generated from an
// existing ResourceClaimTemplate. An empty node allows all nodes.
func CreateFromClaimTemplate(ctx context.Context, e *env.Env, name, template, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s, whose claim is made from template %s", name, template))
	_, err := Create(ctx, e, name, Options{Node: node, Change: func(pod *corev1.PodSpec) {
		const use = "made"
		pod.ResourceClaims = []corev1.PodResourceClaim{{Name: use, ResourceClaimTemplateName: &template}}
		pod.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: use}}
	}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// CreateWithContainerPerRequest creates a claim and a pod of the same name. The main
// container of the pod uses the whole claim. For each request there is another
// container, with the name of the request, that uses only this request.
func CreateWithContainerPerRequest(ctx context.Context, e *env.Env, name string, requests []devices.Request) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim %s, and a pod with a container for each of its requests", name))
	claim, err := claims.Create(ctx, e, name, devices.NewDeviceClaim(requests))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	_, err = Create(ctx, e, name, Options{Change: func(pod *corev1.PodSpec) {
		for _, request := range requests {
			pod.Containers = append(pod.Containers, containerUsing(request.Name, pod.Containers[0], request.Name))
		}
	}}, claim)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// containerUsing returns a container that uses one request of its claim.
func containerUsing(name string, like corev1.Container, request string) corev1.Container {
	user := *like.DeepCopy()
	user.Name, user.Resources.Claims[0].Request = name, request
	return user
}

// DryRunCreateWithRequest creates, as a dry run, a pod whose container uses one request of a
// claim. It returns the error of the API server.
func DryRunCreateWithRequest(ctx context.Context, e *env.Env, claim, request string) error {
	ginkgo.GinkgoHelper()
	pod := newPod(e, "try")
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "devices", ResourceClaimName: &claim}}
	pod.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "devices", Request: request}}
	_, err := e.Client.CoreV1().Pods(e.Namespace).Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

// CreateWithFailingBinding creates a claim and a pod of the same name whose binding fails
// after the scheduler has selected a node. Until the end of the spec, the API
// server rejects changes of the claim's status. NeverBound returns when the
// failure has been reported. The spec must have NeedsStage, because the
// admission policy is cluster-scoped.
func CreateWithFailingBinding(ctx context.Context, e *env.Env, name string, devices resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim %s, which cannot be allocated, and its pod", name))
	claim, err := claims.Create(ctx, e, name, devices)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	claims.RejectStatusUpdatesOf(ctx, e, claim)
	_, err = Create(ctx, e, name, Options{}, claim)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		scheduled := Condition(pod, corev1.PodScheduled)
		if scheduled == nil || scheduled.Status != corev1.ConditionFalse || scheduled.Reason == corev1.PodReasonUnschedulable {
			return fmt.Errorf("no failure is reported: %s", whyNotRunning(ctx, e, pod))
		}
		return nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "pod %s fits and its binding should fail", name)
}
