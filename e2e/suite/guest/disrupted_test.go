// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/e2e/suite/env"
)

// The reasons are those of kube-scheduler and kube-controller-manager 1.37. On simulated nodes,
// specs judge which pods a scheduler evicts for others.
func TestWhoeverIsJudgedIsNotExcused(t *testing.T) {
	target := func(reason string) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "ours", Name: "one", UID: "1"},
			Status:     corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: reason, Message: "it says"}}},
		}
	}
	event := func(name, reason string) *corev1.Event {
		return &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Namespace: "ours", Name: name},
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "one", UID: "1"}, Reason: reason, Message: "it says",
		}
	}
	for name, test := range map[string]struct {
		simulated bool
		objects   []runtime.Object
		want      string
	}{
		"preemption for a neighbour":             {objects: []runtime.Object{target("PreemptionByScheduler")}, want: "pod one was disrupted: PreemptionByScheduler: it says"},
		"preemption on a simulated node":         {simulated: true, objects: []runtime.Object{target("PreemptionByScheduler")}},
		"a drain of a simulated node":            {simulated: true, objects: []runtime.Object{target("EvictionByEvictionAPI")}, want: "pod one was disrupted: EvictionByEvictionAPI: it says"},
		"a taint of a device":                    {objects: []runtime.Object{target("DeletionByDeviceTaintManager")}},
		"gone, for a neighbour":                  {objects: []runtime.Object{event("1", "Preempted")}, want: "pod one was deleted by something in the cluster; event: Preempted: it says"},
		"gone, on a simulated node":              {simulated: true, objects: []runtime.Object{event("1", "Preempted"), event("2", "Killing")}},
		"gone, because of a taint of its device": {objects: []runtime.Object{event("1", "DeviceTaintManagerEviction"), event("2", "Killing")}},
		"gone, without an event about it":        {objects: nil, want: "pod one was deleted by something in the cluster"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &env.Env{
				Client: fake.NewClientset(test.objects...), Namespace: "ours",
				Pods: map[types.NamespacedName]types.UID{{Namespace: "ours", Name: "one"}: "1"},
			}
			if test.simulated {
				e.PlacePod = func(*corev1.Pod) {}
			}
			NewWithT(t).Expect((*Guest)(nil).Disrupted(t.Context(), e)).To(Equal(test.want))
		})
	}
}
