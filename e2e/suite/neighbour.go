package suite

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Neighbour creates another namespace and returns an environment for it. The
// namespace is deleted at the end of the spec.
func (e *Env) Neighbour(ctx context.Context) *Env {
	ginkgo.GinkgoHelper()
	other := *e
	other.Namespace = e.Namespace + "-other"
	ginkgo.By(fmt.Sprintf("creating namespace %s", other.Namespace))
	namespaces := e.Client.CoreV1().Namespaces()
	_, err := namespaces.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: other.Namespace, Labels: e.Labels}}, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		gomega.Expect(other.removeAll(ctx)).To(gomega.Succeed())
		gomega.Expect(namespaces.Delete(ctx, other.Namespace, metav1.DeleteOptions{})).To(gomega.Succeed())
	}, ginkgo.NodeTimeout(2*e.Timeouts.Gone))
	gomega.Expect(other.serviceAccount(ctx)).To(gomega.Succeed())
	return &other
}
