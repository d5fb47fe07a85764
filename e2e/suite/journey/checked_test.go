package journey

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestWhatIsKeptMustBeLeftAlone(t *testing.T) {
	for name, c := range map[string]struct {
		disturb func(now objects)
		want    string
	}{
		"a pod that is gone":       {func(now objects) { delete(now.pods, "kept") }, "pod kept was lost"},
		"another pod of that name": {func(now objects) { edit(now.pods, "kept", func(p *corev1.Pod) { p.UID = "2" }) }, "pod kept was lost"},
		"a pod that is evicted":    {func(now objects) { edit(now.pods, "kept", evict) }, "pod kept is being deleted: DeletionByTaintManager: gone"},
		"a pod that ended":         {func(now objects) { edit(now.pods, "kept", func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }) }, "pod kept is Failed"},
		"another container": {func(now objects) {
			edit(now.pods, "kept", func(p *corev1.Pod) { p.Status.ContainerStatuses[0].ContainerID = "2" })
		}, "pod kept has another container"},
		"other devices": {func(now objects) {
			edit(now.claims, "kept", func(c *resourceapi.ResourceClaim) { c.Status.Allocation.Devices.Results[0].Device = "b" })
		}, `claim kept of pod kept has the allocation {.*"device":"b".*"device":"a"`},
		"no devices": {func(now objects) {
			edit(now.claims, "kept", func(c *resourceapi.ResourceClaim) { c.Status.Allocation = nil })
		}, "claim kept of pod kept has the allocation null"},
		"no reservation": {func(now objects) {
			edit(now.claims, "kept", func(c *resourceapi.ResourceClaim) { c.Status.ReservedFor = nil })
		}, "claim kept is not reserved for pod kept any more"},
		"a claim that is gone": {func(now objects) { delete(now.claims, "pending") }, "claim pending was lost"},
		"a claim that was emptied": {func(now objects) {
			edit(now.claims, "pending", func(c *resourceapi.ResourceClaim) { c.Spec.Devices.Requests = nil })
		}, "claim pending asks for something else"},
		"a pending pod that is gone": {func(now objects) { delete(now.pods, "pending") }, "pod pending was lost"},
		"a slice that is gone":       {func(now objects) { delete(now.others, "slice a") }, "slice a was lost"},
		"another slice of that name": {func(now objects) { edit(now.others, "slice a", func(o *other) { o.uid = "2" }) }, "slice a was lost"},
		"a slice that was emptied": {func(now objects) {
			edit(now.others, "slice a", func(o *other) { o.spec = resourceapi.ResourceSliceSpec{} })
		}, `slice a is {.*, and before {.*"devices":\[`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			was := aWorld()
			k := checked{seen: was, pods: []checkedPod{{
				name: "kept", node: "node", uid: "1", container: "1",
				allocations: map[string]*resourceapi.AllocationResult{"kept": aWorld().claims["kept"].Status.Allocation},
			}}}
			now := aWorld()
			g.Expect(k.changes(now)).To(BeEmpty(), "nothing was disturbed")
			c.disturb(now)
			g.Expect(k.changes(now)).To(ConsistOf(MatchRegexp("^" + c.want)))
		})
	}
}

func TestContainersAreEndedInTurnAndNotForEver(t *testing.T) {
	g := NewWithT(t)
	k := checked{pods: []checkedPod{{name: "on-a-stage"}, {name: "first", container: "1"}, {name: "second", container: "2"}}}
	var ended []string
	for pod := k.toRestart(); pod != nil && len(ended) < 10; pod = k.toRestart() {
		pod.restarts++
		ended = append(ended, pod.name)
	}
	g.Expect(ended).To(Equal([]string{"first", "second", "first", "second", "first", "second"}))
}

func edit[T any](objects map[string]T, name string, change func(*T)) {
	object := objects[name]
	change(&object)
	objects[name] = object
}

func evict(p *corev1.Pod) {
	p.DeletionTimestamp = &metav1.Time{}
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Reason: "DeletionByTaintManager", Message: "gone"})
}

// aWorld returns a world with a running pod, a pending pod and a ResourceSlice.
func aWorld() objects {
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
		pods:   map[string]corev1.Pod{"kept": pod("kept", "node"), "pending": pod("pending", "")},
		claims: map[string]resourceapi.ResourceClaim{"kept": claim("kept", allocated), "pending": claim("pending", resourceapi.ResourceClaimStatus{})},
		others: map[string]other{"slice a": {"1", resourceapi.ResourceSliceSpec{Devices: []resourceapi.Device{{Name: "a"}}}}},
	}
}
