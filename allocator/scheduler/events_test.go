// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"
)

func TestClaimEventsQueueTheAffectedPods(t *testing.T) {
	pod := podWith("p", "c")
	plain, other := claimOf("c", request("req", 1)), claimOf("other", request("req", 1))
	touched := plain.DeepCopy()
	touched.Labels = map[string]string{"touched": "true"}
	stale := extendedClaim(pod, "uid-stale", nil)
	for name, tc := range map[string]struct {
		before, after any
		all           bool     // the event may affect all pods
		pods          []string // otherwise these
		hint          fwk.QueueingHint
	}{
		"own claim is created":              {nil, plain, false, []string{"p"}, fwk.Queue},
		"own claim is allocated by others":  {plain, on(plain.DeepCopy(), "a", "gpu-0"), false, []string{"p"}, fwk.Queue},
		"own claim changes in other ways":   {plain, touched, false, []string{"p"}, fwk.QueueSkip},
		"another claim is created":          {nil, other, false, nil, fwk.QueueSkip},
		"another claim is allocated":        {other, on(other.DeepCopy(), "a", "gpu-0"), false, nil, fwk.QueueSkip},
		"another claim is deallocated":      {on(other.DeepCopy(), "a", "gpu-0"), other, true, nil, fwk.Queue},
		"an allocated claim is deleted":     {on(other.DeepCopy(), "a", "gpu-0"), nil, true, nil, fwk.Queue},
		"an unallocated claim is deleted":   {other, nil, false, nil, fwk.QueueSkip},
		"a claim is deleted, state unknown": {cache.DeletedFinalStateUnknown{Key: "default/other"}, nil, true, nil, fwk.Queue},
		"stale claim of the pod is deleted": {stale, nil, false, []string{"p"}, fwk.Queue},
		"stale claim of another is deleted": {extendedClaim(podWith("q"), "uid-q", nil), nil, false, []string{"q"}, fwk.QueueSkip},
		"stale claim of the pod is created": {nil, stale, false, []string{"p"}, fwk.QueueSkip},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, pod, claimOf("c", request("req", 1)))
			w.Eventually(func() ([]*corev1.Pod, error) { return w.ours().indices.podsOfClaim(plain) }).Should(HaveLen(1))
			pre, err := w.ours().podsAffectedByClaim(klog.Logger{}, tc.before, tc.after)
			w.Expect(err).NotTo(HaveOccurred())
			w.Expect(pre.AllPods).To(Equal(tc.all))
			var pods []string
			for _, p := range pre.Pods {
				w.Expect(p.Namespace).To(Equal("default"))
				pods = append(pods, p.Name)
			}
			w.Expect(pods).To(Equal(tc.pods))
			hint, err := w.ours().afterClaimChange(klog.Logger{}, pod, tc.before, tc.after)
			w.Expect(err).NotTo(HaveOccurred())
			w.Expect(hint).To(Equal(tc.hint))
		})
	}
}

func TestPodsThatWaitForAClaimAreNotQueuedByReleasedDevices(t *testing.T) {
	w := newWorld(t)
	other := claimOf("other", request("req", 1))
	hint, err := w.ours().afterClaimChange(klog.Logger{}, podWith("p", "missing"), on(other.DeepCopy(), "a", "gpu-0"), other)
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(hint).To(Equal(fwk.QueueSkip))
}

func TestPodIsQueuedWhenAllItsClaimsAreGenerated(t *testing.T) {
	pod := podWith("p")
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "c", ResourceClaimTemplateName: ptr.To("t")}}
	named := pod.DeepCopy()
	named.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "c", ResourceClaimName: ptr.To("c")}}
	claim := claimOf("c", request("req", 1))
	claim.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(pod, corev1.SchemeGroupVersion.WithKind("Pod"))}
	w := newWorld(t)
	hint := func(updated *corev1.Pod) fwk.QueueingHint {
		hint, err := w.ours().afterPodUpdate(klog.Logger{}, pod, pod, updated)
		w.Expect(err).NotTo(HaveOccurred())
		return hint
	}
	w.Expect(hint(pod)).To(Equal(fwk.QueueSkip))
	w.Expect(hint(named)).To(Equal(fwk.QueueSkip), "named, but the claim does not exist yet")
	w.create(claim)
	w.Expect(hint(named)).To(Equal(fwk.Queue))
}

func TestPodsAreQueuedWhenAnotherCouldNotBeBound(t *testing.T) {
	w := newWorld(t, extendedClass())
	deleted := podWith("p", "c")
	deleted.DeletionTimestamp = ptr.To(metav1.Now())
	for _, tc := range []struct {
		deleted *corev1.Pod
		hint    fwk.QueueingHint
	}{
		{podWith("had-devices-in-flight", "c"), fwk.Queue},
		{extendedPod("had-extended-resources-in-flight", "1"), fwk.Queue},
		{podWith("had-no-devices"), fwk.QueueSkip},
		{deleted, fwk.QueueSkip},
	} {
		hint, err := w.ours().afterPodDeletion(klog.Logger{}, podWith("waits", "d"), tc.deleted, nil)
		w.Expect(err).NotTo(HaveOccurred())
		w.Expect(hint).To(Equal(tc.hint), tc.deleted.Name)
	}
}

func TestHintsQueueAfterErrors(t *testing.T) {
	w := newWorld(t)
	for _, hint := range []fwk.QueueingHintFn{w.ours().afterClaimChange, w.ours().afterPodUpdate, w.ours().afterPodDeletion} {
		got, err := hint(klog.Logger{}, podWith("p", "c"), node("a"), node("a"))
		w.Expect(err).To(HaveOccurred())
		w.Expect(got).To(Equal(fwk.Queue))
	}
}

// Without these events the scheduler would not watch the objects, and would not map extended resources to
// DeviceClasses.
func TestEventsThatTheSharedManagerNeeds(t *testing.T) {
	w := newWorld(t)
	list, err := w.plugin.EventsToRegister(w.ctx)
	w.Expect(err).NotTo(HaveOccurred())
	for _, resource := range []fwk.EventResource{fwk.ResourceClaim, fwk.ResourceSlice, fwk.DeviceClass} {
		var actions fwk.ActionType
		for _, e := range list {
			if e.Event.Resource == resource {
				actions |= e.Event.ActionType
			}
		}
		w.Expect(actions).To(Equal(fwk.Add|fwk.Update|fwk.Delete), string(resource))
	}
}

func TestIndexOfPodsFollowsGeneratedNames(t *testing.T) {
	pod := podWith("p", "direct")
	pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims,
		corev1.PodResourceClaim{Name: "generated", ResourceClaimTemplateName: ptr.To("t")},
		corev1.PodResourceClaim{Name: "not-yet", ResourceClaimTemplateName: ptr.To("t")},
		corev1.PodResourceClaim{Name: "not-needed", ResourceClaimTemplateName: ptr.To("t")})
	pod.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "generated", ResourceClaimName: ptr.To("p-generated-x")}, {Name: "not-needed"}}
	keys, err := claimsOfPod(pod)
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(keys).To(Equal([]string{"default/direct", "default/p-generated-x"}))
	keys, err = claimsOfPod(&resourceapi.ResourceClaim{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(keys).To(BeEmpty())
}
