// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/diagnose"
)

func fromTemplate(name string) podChange {
	return func(pod *corev1.Pod) {
		pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "dev", ResourceClaimTemplateName: &name}}
	}
}

func onNode(name string) podChange { return func(pod *corev1.Pod) { pod.Spec.NodeName = name } }

func gated(pod *corev1.Pod) {
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/quota"}}
}

func failing(pod *corev1.Pod) {
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}}}}
}

func requesting(name corev1.ResourceName, amount string) podChange {
	return func(pod *corev1.Pod) {
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{name: resource.MustParse(amount)}
	}
}

func TestExplainPodNamesTheReason(t *testing.T) {
	for name, test := range map[string]struct {
		pod     *corev1.Pod
		more    []runtime.Object
		reason  diagnose.Reason
		devices bool
		want    []string
	}{
		"no device": {
			pod: podWith("whole", func(p *corev1.Pod) {
				p.Spec.NodeSelector = nil
				p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
				p.Spec.Affinity = notOn("worker-3")
			}),
			reason: diagnose.ReasonNodesExcluded, want: []string{"only on nodes that the pod may not go to: worker-3", "held by team/holder", "gpu-0 memory: 10Gi/40Gi a", "a = part-0 (team/holder)", "generation 3 has 1 of 2 slices"},
		},
		"no device anywhere": {
			pod: podWith("many"), more: []runtime.Object{claimOf("many", 5)},
			reason: diagnose.ReasonNoDevices, devices: true, want: []string{"none of 3 nodes has the devices", "node worker-1:", "5 requested", "does not tolerate its taint team=other:NoSchedule"},
		},
		"tainted node only":   {pod: podWith("whole"), reason: diagnose.ReasonNodesExcluded, want: []string{"node worker-3: has the devices, but the pod does not tolerate its taint team=other:NoSchedule"}},
		"available":           {pod: podWith("any"), reason: diagnose.ReasonAvailable, want: []string{"devices are available on worker-1", "gpu.example.com/worker-1/part-1"}},
		"scheduler's message": {pod: podWith("any", unschedulable), reason: diagnose.ReasonAvailable, want: []string{"scheduler: 0/3 nodes are available: 3 Insufficient cpu."}},
		"gated":               {pod: podWith("any", gated), reason: diagnose.ReasonGated, want: []string{"scheduling gates example.com/quota"}},
		"claim missing":       {pod: podWith("none"), reason: diagnose.ReasonClaimMissing, devices: true, want: []string{"ResourceClaim team/none does not exist"}},
		"template missing":    {pod: podWith("", fromTemplate("none")), reason: diagnose.ReasonClaimMissing, devices: true, want: []string{"ResourceClaimTemplate team/none does not exist"}},
		"claim not created":   {pod: podWith("", fromTemplate("template")), reason: diagnose.ReasonClaimMissing, devices: true, want: []string{"has not been created: kube-controller-manager creates it"}},
		"class missing":       {pod: podWith("no-class"), reason: diagnose.ReasonClassMissing, devices: true, want: []string{`request gpu: DeviceClass "gone" does not exist`}},
		"claim in use":        {pod: podWith("crowded"), more: []runtime.Object{crowded()}, reason: diagnose.ReasonClaimInUse, devices: true, want: []string{"reserved for 256 pods, which is the maximum"}},
		"no claims":           {pod: podWith(""), reason: diagnose.ReasonNoClaims, want: []string{"requests no devices"}},
		"claims allocated":    {pod: podWith("holder"), reason: diagnose.ReasonClaimsHere, want: []string{"can be used on worker-1", "2 nodes, worker-2, worker-3: claim team/holder is allocated on other nodes"}},
		"allocated elsewhere": {
			pod:    podWith("holder", func(p *corev1.Pod) { p.Spec.Affinity = notOn("worker-1") }),
			reason: diagnose.ReasonOtherNodes, devices: true, want: []string{"has the devices, but the node selector or affinity of the pod excludes it"},
		},
		"binding conditions": {
			pod: podWith("binds"), more: []runtime.Object{binding()},
			reason: diagnose.ReasonWaitsBinding, devices: true, want: []string{"waits for the conditions attached, which"},
		},
		"waits for the driver": {
			pod: podWith("holder", onNode("worker-1")), more: []runtime.Object{prepareFailed()},
			reason: diagnose.ReasonWaitsDriver, devices: true, want: []string{"when the driver gpu.example.com has prepared the claims", "kubelet: no driver socket"},
		},
		"prepared":           {pod: podWith("holder", onNode("worker-1"), failing), reason: diagnose.ReasonPrepared, want: []string{"container c waits with reason ImagePullBackOff"}},
		"runs":               {pod: podWith("holder", onNode("worker-1"), func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }), reason: diagnose.ReasonRunning, want: []string{"runs on node worker-1"}},
		"ended":              {pod: podWith("holder", func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }), reason: diagnose.ReasonEnded, want: []string{"has ended: Failed"}},
		"extended resources": {pod: podWith("", requesting("example.com/gpu", "7")), reason: diagnose.ReasonNoDevices, devices: true, want: []string{"team/p-extended-resources", "request example.com/gpu: 7 requested"}},
		"device plugin": {
			pod: podWith("", requesting("example.com/gpu", "7")), more: []runtime.Object{pluginNode("plugin-node")},
			reason: diagnose.ReasonAvailable, want: []string{"available on plugin-node"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := liveCluster(t, append(test.more, test.pod)...)
			text, err := runLive(t, client, "explain", "pod", "p")
			g.Expect(err).NotTo(HaveOccurred())
			for _, want := range test.want {
				g.Expect(text).To(ContainSubstring(want))
			}
			out, err := runLive(t, client, "explain", "pod", "p", "-o", "json")
			g.Expect(err).NotTo(HaveOccurred())
			var got diagnose.Pod
			g.Expect(json.Unmarshal([]byte(out), &got)).To(Succeed())
			g.Expect(got.Reason).To(Equal(test.reason), text)
			g.Expect(got.Devices).To(Equal(test.devices), "whether devices are the reason")
			for _, action := range client.Actions() {
				g.Expect(action.GetVerb()).To(BeElementOf("get", "list"), "the cluster is only read")
			}
		})
	}
}

func TestExplainPodOnOneNode(t *testing.T) {
	g := NewWithT(t)
	client := liveCluster(t, podWith("whole"))
	text, err := runLive(t, client, "explain", "pod", "p", "-n", "team", "--node", "worker-1")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(And(ContainSubstring("none of 1 node has the devices"), Not(ContainSubstring("worker-3"))))
	_, err = runLive(t, client, "explain", "pod", "p", "--node", "none")
	g.Expect(errors.Is(err, errUsage)).To(BeTrue(), "%v", err)
	_, err = runLive(t, client, "explain", "pod", "p", "-n", "other")
	g.Expect(err).To(MatchError(ContainSubstring(`get pod other/p: pods "p" not found`)))
}

func TestExplainAppliesTaintRules(t *testing.T) {
	g := NewWithT(t)
	rule := &resourceapi.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "r"}, Spec: resourceapi.DeviceTaintRuleSpec{
		DeviceSelector: &resourceapi.DeviceTaintSelector{Device: ptr.To("part-1")},
		Taint:          resourceapi.DeviceTaint{Key: "repair", Effect: resourceapi.DeviceTaintEffectNoSchedule},
	}}
	client := liveCluster(t, podWith("any"), rule)
	client.Resources = []*metav1.APIResourceList{{GroupVersion: "resource.k8s.io/v1", APIResources: []metav1.APIResource{{Name: "devicetaintrules"}}}}
	text, err := runLive(t, client, "explain", "pod", "p", "--node", "worker-1", "--gates", "alpha")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(ContainSubstring("repair"))
	text, err = runLive(t, client, "pools", "--node", "worker-1")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(ContainSubstring("tainted, taint repair=:NoSchedule: part-1"))
}

func claimOf(name string, count int64) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name}}
	claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "gpu", Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: "gpu", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: count,
	}}}
	return claim
}

// crowded returns a claim that is reserved for as many pods as possible.
func crowded() *resourceapi.ResourceClaim {
	claim := claimOf("crowded", 1)
	claim.Status.Allocation = &resourceapi.AllocationResult{}
	for i := range resourceapi.ResourceClaimReservedForMaxSize {
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: fmt.Sprint(i), UID: types.UID(fmt.Sprint(i))})
	}
	return claim
}

// binding returns an allocated claim of which one of two binding conditions is true.
func binding() *resourceapi.ResourceClaim {
	claim := claimOf("binds", 1)
	claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{
		{Request: "gpu", Driver: "gpu.example.com", Pool: "worker-1", Device: "part-1", BindingConditions: []string{"powered", "attached"}},
	}}}
	claim.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: "gpu.example.com", Pool: "worker-1", Device: "part-1", Conditions: []metav1.Condition{{Type: "powered", Status: metav1.ConditionTrue}}}}
	return claim
}

func prepareFailed() *corev1.Event {
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "e"}, Reason: "FailedPrepareDynamicResources", Message: "no driver socket",
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "p", UID: "pod-uid"},
	}
}

func unschedulable(pod *corev1.Pod) {
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: "0/3 nodes are available: 3 Insufficient cpu."}}
}

func notOn(node string) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
		{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpNotIn, Values: []string{node}}}},
	}}}}
}

// pluginNode returns a node whose device plugin provides the extended resource.
func pluginNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{"example.com/gpu": resource.MustParse("8")}}}
}
