package suite

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// AllowAdminAccess allows claims of the spec to request admin access. It sets
// the label that the API server requires on their namespace.
func (e *Env) AllowAdminAccess(ctx context.Context) {
	ginkgo.GinkgoHelper()
	ginkgo.By("labelling the namespace for admin access")
	patch := fmt.Sprintf(`{"metadata":{"labels":{%q:"true"}}}`, resourceapi.DRAAdminNamespaceLabelKey)
	_, err := e.Client.CoreV1().Namespaces().Patch(ctx, e.Namespace, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}
