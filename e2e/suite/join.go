package suite

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// Join creates a pod that uses existing claims.
func (e *Env) Join(ctx context.Context, pod string, options PodOptions, claims ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s, which uses claims %v", pod, claims))
	var used []*resourceapi.ResourceClaim
	for _, name := range claims {
		claim, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		used = append(used, claim)
	}
	_, err := e.Pod(ctx, pod, options, used...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// SelectedNodes returns those of the given nodes that match the node selector
// of a claim's allocation (API AllocationResult.nodeSelector).
func (e *Env) SelectedNodes(ctx context.Context, claim string, nodes []string) []string {
	ginkgo.GinkgoHelper()
	got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(got.Status.Allocation).NotTo(gomega.BeNil(), "claim %s of a pod that is scheduled should be allocated", claim)
	if got.Status.Allocation.NodeSelector == nil {
		return nodes
	}
	selector, err := nodeaffinity.NewNodeSelector(got.Status.Allocation.NodeSelector)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the node selector of claim %s should make sense", claim)
	var selected []string
	for _, name := range nodes {
		node, err := e.Client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		if selector.Match(node) {
			selected = append(selected, name)
		}
	}
	return selected
}
