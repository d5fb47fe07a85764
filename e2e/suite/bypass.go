package suite

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PutOn creates a pod that is already bound to a node, without a scheduler. The
// claims that the pod uses need not exist.
func (e *Env) PutOn(ctx context.Context, node, pod string, claims ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("putting pod %s, which uses %s, on node %s", pod, plural("claim", claims), node))
	var used []*resourceapi.ResourceClaim
	for _, name := range claims {
		used = append(used, &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	_, err := e.Pod(ctx, pod, PodOptions{Change: func(spec *corev1.PodSpec) { spec.NodeName = node }}, used...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// StaysUnbound asserts that a pod is not bound to a node for a while.
func (e *Env) StaysUnbound(ctx context.Context, name, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("looking whether pod %s stays without a node", name))
	e.stays(ctx, func(ctx context.Context) (broken, unseen error) {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil && pod.Spec.NodeName != "" {
			broken = fmt.Errorf("pod %s was bound to node %s", name, pod.Spec.NodeName)
		}
		return broken, err
	}, "pod %s should not be bound, because %s", name, because)
}

// StartFromTemplate creates a pod whose only claim is generated from an
// existing ResourceClaimTemplate. An empty node allows all nodes.
func (e *Env) StartFromTemplate(ctx context.Context, name, template, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s, whose claim is made from template %s", name, template))
	_, err := e.Pod(ctx, name, PodOptions{Node: node, Change: func(pod *corev1.PodSpec) {
		const use = "made"
		pod.ResourceClaims = []corev1.PodResourceClaim{{Name: use, ResourceClaimTemplateName: &template}}
		pod.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: use}}
	}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// Template creates a ResourceClaimTemplate.
func (e *Env) Template(ctx context.Context, name string, devices resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	template := &resourceapi.ResourceClaimTemplate{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.Namespace, Labels: e.Labels},
		Spec:       resourceapi.ResourceClaimTemplateSpec{Spec: resourceapi.ResourceClaimSpec{Devices: devices}},
	}
	_, err := e.Client.ResourceV1().ResourceClaimTemplates(e.Namespace).Create(ctx, template, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// MadeClaim returns the name of the claim that was generated for a pod.
func (e *Env) MadeClaim(ctx context.Context, pod string) string {
	ginkgo.GinkgoHelper()
	got, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, pod, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	names := claimNames(got)
	gomega.Expect(names).To(gomega.HaveLen(1), "pod %s has a claim that was made for it", pod)
	return names[0]
}

// ClaimGone waits until a claim is removed from the API. It does not delete the
// claim.
func (e *Env) ClaimGone(ctx context.Context, claim, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until claim %s is gone", claim))
	gomega.Eventually(ctx, func(ctx context.Context) error { return e.claimGone(ctx, claim) }).
		WithTimeout(e.Timeouts.Gone).Should(gomega.Succeed(), "claim %s should be removed, because %s", claim, because)
}
