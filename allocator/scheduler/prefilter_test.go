// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"
)

func TestPodsThatNeedNoDevicesAreSkipped(t *testing.T) {
	w := newWorld(t, node("a"))
	notGenerated := podWith("not-generated")
	notGenerated.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "c", ResourceClaimTemplateName: ptr.To("t")}}
	notGenerated.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "c"}}
	other := extendedPod("other-resource", "1")
	other.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"example.com/unknown": other.Spec.Containers[0].Resources.Requests["example.com/gpu"]}
	for _, pod := range []*corev1.Pod{podWith("without-claims"), notGenerated, other} {
		c := w.begin(pod)
		w.Expect(c.preFilter().Code()).To(Equal(fwk.Skip), pod.Name)
		w.Expect(c.filter()["a"]).To(succeed(), pod.Name)
		w.Expect(w.plugin.Reserve(w.ctx, c.state, pod, "a")).To(succeed(), pod.Name)
		result, status := w.ours().PreBindPreFlight(w.ctx, c.state, pod, "a")
		w.Expect(status.Code()).To(Equal(fwk.Skip), pod.Name)
		w.Expect(result.AllowParallel).To(BeTrue(), pod.Name)
	}
}

func TestPodsWaitForTheirClaims(t *testing.T) {
	generated := func(pod *corev1.Pod) *corev1.Pod {
		pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "c", ResourceClaimTemplateName: ptr.To("t")}}
		return pod
	}
	named := func(pod *corev1.Pod) *corev1.Pod {
		pod.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "c", ResourceClaimName: ptr.To("c")}}
		return generated(pod)
	}
	for name, tc := range map[string]struct {
		pod     *corev1.Pod
		objects []runtime.Object
		reason  string
	}{
		"there is none":               {pod: podWith("p", "c"), reason: `"default/c"`},
		"it has not been generated":   {pod: generated(podWith("p")), reason: "ResourceClaim not created yet"},
		"it was generated for others": {pod: named(podWith("p")), objects: []runtime.Object{claimOf("c")}, reason: "was not created for Pod default/p"},
		"it is being deleted": {pod: podWith("p", "c"), reason: "is being deleted", objects: []runtime.Object{func() runtime.Object {
			c := claimOf("c")
			c.DeletionTimestamp, c.Finalizers = ptr.To(metav1.Now()), []string{"example.com/finalizer"}
			return c
		}()}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, append(tc.objects, node("a"))...)
			w.Expect(w.plugin.PreEnqueue(w.ctx, tc.pod)).To(unschedulableBecause(tc.reason))
			w.Expect(w.begin(tc.pod).preFilter()).To(unschedulableBecause(tc.reason))
		})
	}
}

func TestPodsWhoseClaimsCannotBeAllocatedAreUnschedulable(t *testing.T) {
	for name, tc := range map[string]struct {
		request resourceapi.DeviceRequest
		status  func() Matcher
	}{
		"class is missing": {request("req", 1), func() Matcher { return unschedulableBecause("request req: device class gpu does not exist") }},
		"class of an alternative is missing": {firstOf("req", 1), func() Matcher {
			return unschedulableBecause("request req/alternative-0: device class gpu does not exist")
		}},
		"unknown type": {resourceapi.DeviceRequest{Name: "req"}, func() Matcher { return unschedulableBecause("unknown type of request") }},
		"no class": {resourceapi.DeviceRequest{Name: "req", Exactly: &resourceapi.ExactDeviceRequest{}}, func() Matcher {
			return haveStatus(fwk.Error, "no device class")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, node("a"), claimOf("c", tc.request))
			w.Expect(w.begin(podWith("p", "c")).preFilter()).To(tc.status())
		})
	}
}

// Matcher is a short name for the table above.
type Matcher = interface {
	Match(actual any) (bool, error)
	FailureMessage(actual any) string
	NegatedFailureMessage(actual any) string
}

func TestAlternativesNeedTheirFeatureGate(t *testing.T) {
	features := defaultFeatures()
	features.EnableDRAPrioritizedList = false
	w := newWorldWith(t, features, makeOurs, node("a"), deviceClass(), claimOf("c", firstOf("req", 1)))
	w.Expect(w.begin(podWith("p", "c")).preFilter()).To(unschedulableBecause("DRAPrioritizedList is disabled"))
}

func TestSecondPodWaitsWhileTheSharedClaimIsInFlight(t *testing.T) {
	w := newWorld(t, node("a"), deviceClass(), gpus("a", 2), claimOf("c", request("req", 1)))
	first := w.begin(podWith("p1", "c"))
	w.Expect(first.schedule()).To(succeed())

	w.Expect(w.begin(podWith("p2", "c")).preFilter()).To(unschedulableBecause("is being allocated for another pod"))

	w.Expect(first.bind()).To(succeed())
	w.mustBind(podWith("p2", "c"))
	w.Expect(w.claim("c").Status.ReservedFor).To(HaveLen(2))
	w.Expect(w.devicesOf("c")).To(Equal([]string{"a/gpu-0"}))
}

// podGroups is a snapshot that implements only the PodGroup lister.
type podGroups struct {
	fwk.SharedLister
	group *schedulingapi.PodGroup
}

func (p podGroups) PodGroups() fwk.PodGroupLister { return p }

func (p podGroups) Get(string, string) (*schedulingapi.PodGroup, error) { return p.group, nil }

type withPodGroups struct {
	fwk.Handle
	podGroups
}

func (h withPodGroups) SnapshotSharedLister() fwk.SharedLister { return h.podGroups }

func TestClaimsOfPodGroupsAreUnschedulable(t *testing.T) {
	features := defaultFeatures()
	features.EnableDRAWorkloadResourceClaims = true
	group := &schedulingapi.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "gang", UID: "uid-gang"},
		Spec:       schedulingapi.PodGroupSpec{ResourceClaims: []schedulingapi.PodGroupResourceClaim{{Name: "c", ResourceClaimName: ptr.To("c")}}},
	}
	w := newWorldWith(t, features, func(w *world) (draPlugin, error) {
		return newPlugin(w.ctx, nil, withPodGroups{w.handle, podGroups{group: group}}, w.features)
	}, node("a"), deviceClass(), gpus("a", 1), claimOf("c", request("req", 1)), claimOf("own", request("req", 1)))
	member := func(claim string) *corev1.Pod {
		pod := podWith("p-"+claim, claim)
		pod.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: ptr.To("gang")}
		return pod
	}
	w.Expect(w.begin(member("c")).preFilter()).To(unschedulableBecause(`claim "c" is a ResourceClaim of PodGroup gang, which DraconformResources does not support`))
	w.Expect(w.begin(member("own")).preFilter()).To(succeed(), "a claim of the pod's own")
}

func TestNodeAllocatableDevicesAreUnschedulable(t *testing.T) {
	features := defaultFeatures()
	features.EnableDRANodeAllocatableResources = true
	nodeAllocatable := gpus("a", 1, func(d *resourceapi.Device) {
		d.NodeAllocatableResources = map[corev1.ResourceName]resourceapi.NodeAllocatableResource{"cpu": {}}
	})
	objects := func() []runtime.Object {
		return []runtime.Object{node("a"), node("b"), deviceClass(), nodeAllocatable.DeepCopy(), gpus("b", 1), claimOf("c", request("req", 1)), on(claimOf("d", request("req", 1)), "a", "gpu-0")}
	}
	w := newWorldWith(t, features, makeOurs, objects()...)
	c := w.begin(podWith("p", "c"))
	w.Expect(c.preFilter()).To(succeed())
	statuses := c.filter()
	w.Expect(statuses["a"]).To(unschedulableBecause(cannotAllocate), "claim d holds its only device")
	w.Expect(statuses["b"]).To(succeed())
	c = w.begin(podWith("q", "d"))
	w.Expect(c.preFilter()).To(succeed())
	w.Expect(c.filter()["a"]).To(unschedulableBecause("has nodeAllocatableResources, which DraconformResources does not support"))

	free := newWorldWith(t, features, makeOurs, objects()[:6]...)
	c = free.begin(podWith("p", "c"))
	free.Expect(c.preFilter()).To(succeed())
	free.Expect(c.filter()["a"]).To(unschedulableBecause("device gpu.example.com/a/gpu-0 has nodeAllocatableResources"))
}
