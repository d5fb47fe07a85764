// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

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

	"github.com/draconform/draconform/e2e/suite/env"
)

// TriggerKubeletSync changes an annotation of a pod, so that the kubelet syncs
// the pod. Without a change the kubelet syncs a pod only every one or two
// minutes.
func TriggerKubeletSync(ctx context.Context, e *env.Env, pod string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("triggering a sync of pod " + pod)
	gomega.Expect(triggerSync(ctx, e, pod)).To(gomega.Succeed())
}

func triggerSync(ctx context.Context, e *env.Env, pod string) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"draconform.dev/touched":%q}}}`, time.Now().Format(time.RFC3339Nano))
	_, err := e.Client.CoreV1().Pods(e.Namespace).Patch(ctx, pod, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	return err
}

// syncInterval is how long a bound pod may take to start before the kubelet's
// sync is triggered, and the interval between two triggers.
const syncInterval = 5 * time.Second

// LeaveToKubelet makes the waits of a spec leave the pods alone, because the
// spec is about what the kubelet does by itself. They do not trigger its sync,
// and Timeouts.KubeletRetries replaces Timeouts.PodStart and Timeouts.Deletion.
func LeaveToKubelet(e *env.Env) {
	ginkgo.By("leaving the pods to the kubelet: nothing changes them")
	e.LeftToKubelet = true
	e.Timeouts.PodStart = max(e.Timeouts.PodStart, e.Timeouts.KubeletRetries)
	e.Timeouts.Deletion = max(e.Timeouts.Deletion, e.Timeouts.KubeletRetries)
}

// SyncTrigger triggers the kubelet's sync of a bound pod, because most specs are
// not about how long the kubelet takes to try again. The kubelet fails to start
// a pod while the node is not authorized to read its claim, or while the driver
// is not registered. Neither is a failure, but the kubelet retries only after a
// minute or more. Specs that are about its retries call [LeaveToKubelet].
type SyncTrigger struct {
	env  *env.Env
	last time.Time
}

// NewSyncTrigger returns a SyncTrigger. It triggers nothing until syncInterval
// has passed.
func NewSyncTrigger(e *env.Env) *SyncTrigger { return &SyncTrigger{e, time.Now()} }

// Trigger triggers the kubelet's sync of a pod, if the pod is bound and
// syncInterval has passed since the previous trigger, unless the spec leaves its
// pods to the kubelet.
func (n *SyncTrigger) Trigger(ctx context.Context, pod *corev1.Pod) {
	if n.env.LeftToKubelet || pod.Spec.NodeName == "" || time.Since(n.last) < syncInterval {
		return
	}
	n.last = time.Now()
	// Errors are ignored, because the trigger only saves time.
	_ = triggerSync(ctx, n.env, pod.Name)
}

// TriggerUsers triggers the kubelet's sync of one of the pods that use a claim.
func (n *SyncTrigger) TriggerUsers(ctx context.Context, claim string) {
	if time.Since(n.last) < syncInterval {
		return
	}
	pods, err := n.env.Client.CoreV1().Pods(n.env.Namespace).List(ctx, n.env.Selector())
	if err != nil {
		return // The trigger only saves time.
	}
	for i := range pods.Items {
		if slices.Contains(ClaimNames(&pods.Items[i]), claim) {
			n.Trigger(ctx, &pods.Items[i])
		}
	}
}
