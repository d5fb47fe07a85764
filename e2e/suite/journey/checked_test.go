// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestCheckedChanges(t *testing.T) {
	for name, c := range map[string]struct {
		change func(now objects)
		want   string
	}{
		"a deleted pod":  {func(now objects) { delete(now.pods, "checked") }, "pod checked was deleted"},
		"a replaced pod": {func(now objects) { edit(now.pods, "checked", func(p *corev1.Pod) { p.UID = "2" }) }, "pod checked was deleted"},
		"an evicted pod": {func(now objects) { edit(now.pods, "checked", evict) }, "pod checked is being deleted: DeletionByTaintManager: evicted"},
		"a failed pod": {func(now objects) {
			edit(now.pods, "checked", func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed })
		}, "pod checked is Failed"},
		"another container": {func(now objects) {
			edit(now.pods, "checked", func(p *corev1.Pod) { p.Status.ContainerStatuses[0].ContainerID = "2" })
		}, "the container of pod checked has been restarted"},
		"other devices": {func(now objects) {
			edit(now.claims, "checked", func(c *resourceapi.ResourceClaim) { c.Status.Allocation.Devices.Results[0].Device = "b" })
		}, `the allocation of claim checked of pod checked has changed to {.*"device":"b".*from {.*"device":"a"`},
		"no devices": {func(now objects) {
			edit(now.claims, "checked", func(c *resourceapi.ResourceClaim) { c.Status.Allocation = nil })
		}, "the allocation of claim checked of pod checked has changed to null"},
		"no reservation": {func(now objects) {
			edit(now.claims, "checked", func(c *resourceapi.ResourceClaim) { c.Status.ReservedFor = nil })
		}, "claim checked is no longer reserved for pod checked"},
		"a deleted claim": {func(now objects) { delete(now.claims, "pending") }, "claim pending was deleted"},
		"an emptied claim": {func(now objects) {
			edit(now.claims, "pending", func(c *resourceapi.ResourceClaim) { c.Spec.Devices.Requests = nil })
		}, "the spec of claim pending has changed"},
		"a deleted pending pod": {func(now objects) { delete(now.pods, "pending") }, "pod pending was deleted"},
		"a deleted slice":       {func(now objects) { delete(now.others, "slice a") }, "slice a was deleted"},
		"a replaced slice":      {func(now objects) { edit(now.others, "slice a", func(o *other) { o.meta.UID = "2" }) }, "slice a was deleted"},
		"an emptied slice": {func(now objects) {
			edit(now.others, "slice a", func(o *other) { o.spec = resourceapi.ResourceSliceSpec{} })
		}, `the spec of slice a has changed to {.* from {.*"devices":\[`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			was := testObjects()
			k := checked{seen: was, pods: []checkedPod{{
				name: "checked", node: "node", uid: "1", container: "1",
				allocations: map[string]*resourceapi.AllocationResult{"checked": testObjects().claims["checked"].Status.Allocation},
			}}}
			now := testObjects()
			g.Expect(k.changes(now)).To(BeEmpty(), "nothing has changed")
			c.change(now)
			g.Expect(k.changes(now)).To(ConsistOf(MatchRegexp("^" + c.want)))
		})
	}
}

func TestToRestartAlternatesAndIsLimited(t *testing.T) {
	g := NewWithT(t)
	k := checked{pods: []checkedPod{{name: "on-a-simulated-node"}, {name: "first", container: "1"}, {name: "second", container: "2"}}}
	var killed []string
	for pod := k.toRestart(); pod != nil && len(killed) < 10; pod = k.toRestart() {
		pod.restarts++
		killed = append(killed, pod.name)
	}
	g.Expect(killed).To(Equal([]string{"first", "second", "first", "second", "first", "second"}))
}

func edit[T any](objects map[string]T, name string, change func(*T)) {
	object := objects[name]
	change(&object)
	objects[name] = object
}

func evict(p *corev1.Pod) {
	p.DeletionTimestamp = &metav1.Time{}
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Reason: "DeletionByTaintManager", Message: "evicted"})
}

// testObjects returns a running pod, a pending pod and a ResourceSlice.
func testObjects() objects {
	pod := func(name, node string) corev1.Pod {
		return corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: "1"},
			Spec:       corev1.PodSpec{NodeName: node},
			Status:     corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{ContainerID: "1"}}},
		}
	}
	claim := func(name string, status resourceapi.ResourceClaimStatus) resourceapi.ResourceClaim {
		return resourceapi.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("claim " + name)},
			Spec:       resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{Name: "device"}}}},
			Status:     status,
		}
	}
	allocated := resourceapi.ResourceClaimStatus{
		Allocation:  &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{{Device: "a"}}}},
		ReservedFor: []resourceapi.ResourceClaimConsumerReference{{UID: "1"}},
	}
	return objects{
		pods:   map[string]corev1.Pod{"checked": pod("checked", "node"), "pending": pod("pending", "")},
		claims: map[string]resourceapi.ResourceClaim{"checked": claim("checked", allocated), "pending": claim("pending", resourceapi.ResourceClaimStatus{})},
		others: map[string]other{"slice a": {meta: metav1.ObjectMeta{UID: "1"}, spec: resourceapi.ResourceSliceSpec{Devices: []resourceapi.Device{{Name: "a"}}}}},
	}
}
