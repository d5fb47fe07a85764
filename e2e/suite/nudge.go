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

// Touch changes an annotation of a pod to trigger a sync of the kubelet.
// Without a change the kubelet syncs a pod only every one or two minutes.
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

// nudgeInterval is how long a bound pod may take to start before the kubelet's
// sync is triggered, and the interval between two triggers.
const nudgeInterval = 5 * time.Second

// nudger triggers the kubelet's sync of a bound pod. The kubelet fails to start
// a pod when the node is not yet authorized to read its claim, or when the
// driver is not registered. It retries only after a minute or more. This is no
// failure, but waiting for it takes long.
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
	// Errors are ignored, because the trigger only saves time.
	_ = n.env.touch(ctx, pod.Name)
}

// nudgeUsers triggers the kubelet's sync of one of the pods that use a claim.
func (n *nudger) nudgeUsers(ctx context.Context, claim string) {
	if time.Since(n.last) < nudgeInterval {
		return
	}
	pods, err := n.env.Client.CoreV1().Pods(n.env.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return // The trigger only saves time.
	}
	for i := range pods.Items {
		if slices.Contains(claimNames(&pods.Items[i]), claim) {
			n.nudge(ctx, &pods.Items[i])
		}
	}
}
