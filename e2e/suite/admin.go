package suite

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AllowAdminAccess lets claims of the spec ask for admin access, which an API
// server permits by a label of their namespace.
func (e *Env) AllowAdminAccess(ctx context.Context) {
	ginkgo.GinkgoHelper()
	ginkgo.By("labelling the namespace for admin access")
	namespaces := e.Client.CoreV1().Namespaces()
	namespace, err := namespaces.Get(ctx, e.Namespace, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	namespace.Labels[resourceapi.DRAAdminNamespaceLabelKey] = "true"
	_, err = namespaces.Update(ctx, namespace, metav1.UpdateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}
