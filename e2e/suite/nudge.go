package suite

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Touch changes a pod in a way that means nothing. A kubelet looks at a pod when
// it changes, and else once in a minute or two.
func (e *Env) Touch(ctx context.Context, pod string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("making the kubelet look at pod " + pod)
	gomega.Expect(e.touch(ctx, pod)).To(gomega.Succeed())
}

func (e *Env) touch(ctx context.Context, pod string) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"draconform.dev/touched":%q}}}`, time.Now().Format(time.RFC3339Nano))
	_, err := e.Client.CoreV1().Pods(e.Namespace).Patch(ctx, pod, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// nudgeInterval is how long a pod with a node may be on its way before the kubelet
// is made to look again.
const nudgeInterval = 5 * time.Second

// nudger makes the kubelet look again at a pod that it has got. When it could not
// read a claim, because the API server did not know yet that the node may, or when
// the driver was not there, it would do so by itself only after a minute or more,
// which is no fault and takes long.
type nudger struct {
	env  *Env
	last time.Time
}

func (e *Env) nudger() *nudger { return &nudger{e, time.Now()} }

func (n *nudger) nudge(ctx context.Context, pod *corev1.Pod) {
	if pod.Spec.NodeName == "" || time.Since(n.last) < nudgeInterval {
		return
	}
	n.last = time.Now()
	// It is only to save time.
	_ = n.env.touch(ctx, pod.Name)
}

// nudgeUsers does so for one of the pods of a claim.
func (n *nudger) nudgeUsers(ctx context.Context, claim string) {
	if time.Since(n.last) < nudgeInterval {
		return
	}
	pods, err := n.env.Client.CoreV1().Pods(n.env.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return // It is only to save time.
	}
	for i := range pods.Items {
		if slices.Contains(claimNames(&pods.Items[i]), claim) {
			n.nudge(ctx, &pods.Items[i])
		}
	}
}
