// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/env"
)

// SetPhase writes the phase of a pod on a simulated node, as a kubelet does when
// the containers of the pod have ended. The spec must have
// [env.NeedsSimulatedNodes].
func SetPhase(ctx context.Context, e *env.Env, pod string, phase corev1.PodPhase) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("setting the phase of pod %s to %s", pod, phase))
	patch(ctx, e, pod, fmt.Sprintf(`{"status": {"phase": %q}}`, phase), "status")
}

// SetGeneratedClaimUnneeded states in the status of a pod that its [GeneratedClaim] is not
// needed, as a controller would.
func SetGeneratedClaimUnneeded(ctx context.Context, e *env.Env, pod string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("writing that pod " + pod + " needs no generated claim")
	patch(ctx, e, pod, fmt.Sprintf(`{"status": {"resourceClaimStatuses": [{"name": %q}]}}`, GeneratedClaim), "status")
}

// SetGeneratedClaim states in the status of a pod which claim its [GeneratedClaim] is, as a
// controller would that has created the claim.
func SetGeneratedClaim(ctx context.Context, e *env.Env, pod, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("writing that the generated claim of pod %s is %s", pod, claim))
	patch(ctx, e, pod, fmt.Sprintf(`{"status": {"resourceClaimStatuses": [{"name": %q, "resourceClaimName": %q}]}}`, GeneratedClaim, claim), "status")
}

// SetGeneratedClaims replaces the generated claims in the status of a pod, by the names of the
// entries.
func SetGeneratedClaims(ctx context.Context, e *env.Env, pod string, claims map[string]string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("writing that the generated claims of pod %s are %v", pod, claims))
	statuses := []corev1.PodResourceClaimStatus{}
	for _, entry := range slices.Sorted(maps.Keys(claims)) {
		statuses = append(statuses, corev1.PodResourceClaimStatus{Name: entry, ResourceClaimName: ptr.To(claims[entry])})
	}
	content, err := json.Marshal(map[string]any{"status": map[string]any{"resourceClaimStatuses": statuses}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	patch(ctx, e, pod, string(content), "status")
}

// DryRunPatchStatus changes the status of a pod in a dry run, and returns the pod as the API
// server would store it.
func DryRunPatchStatus(ctx context.Context, e *env.Env, pod, content string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("writing the status of pod %s in a dry run: %s", pod, content))
	stored, err := e.Client.CoreV1().Pods(e.Namespace).Patch(ctx, pod, types.MergePatchType, []byte(content), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}, "status")
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return stored
}

// DryRunPatch changes a pod, or a subresource of it, in a dry run of a strategic merge patch. It
// returns the pod as the API server would store it, or the error of the API server.
func DryRunPatch(ctx context.Context, e *env.Env, pod, content string, subresources ...string) (*corev1.Pod, error) {
	ginkgo.By(fmt.Sprintf("changing pod %s %v in a dry run: %s", pod, subresources, content))
	return e.Client.CoreV1().Pods(e.Namespace).Patch(ctx, pod, types.StrategicMergePatchType, []byte(content), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}, subresources...)
}

// RemoveSchedulingGates removes all scheduling gates of a pod.
func RemoveSchedulingGates(ctx context.Context, e *env.Env, pod string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("removing the scheduling gates of pod " + pod)
	patch(ctx, e, pod, `{"spec": {"schedulingGates": null}}`)
}

func patch(ctx context.Context, e *env.Env, pod, content string, subresources ...string) {
	ginkgo.GinkgoHelper()
	_, err := e.Client.CoreV1().Pods(e.Namespace).Patch(ctx, pod, types.MergePatchType, []byte(content), metav1.PatchOptions{}, subresources...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}
