// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/version"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/diagnose"
)

// liveCluster returns a client of the cluster in testdata/live with further objects.
func liveCluster(t *testing.T, more ...runtime.Object) *fake.Clientset {
	t.Helper()
	g := NewWithT(t)
	content, err := os.ReadFile("testdata/live/cluster.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	objects := more
	for document := range strings.SplitSeq(string(content), "\n---\n") {
		object, _, err := clientscheme.Codecs.UniversalDeserializer().Decode([]byte(document), nil, nil)
		g.Expect(err).NotTo(HaveOccurred(), document)
		objects = append(objects, object)
	}
	client := fake.NewClientset(objects...)
	client.Discovery().(*fakediscovery.FakeDiscovery).FakedServerVersion = &version.Info{GitVersion: "v1.37.2+vendor"}
	return client
}

// runLive runs a command in the cluster of a client. The namespace of its context is team.
func runLive(t *testing.T, client kubernetes.Interface, args ...string) (string, error) {
	t.Helper()
	connect := func(context.Context, string, string) (kubernetes.Interface, string, error) {
		return client, "team", nil
	}
	root := &cobra.Command{Use: "draconform", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(newExplain(connect), newPools(connect))
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetArgs(args)
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

type podChange func(*corev1.Pod)

// podWith returns a pod of the namespace team that uses a claim, unless it is empty.
func podWith(claim string, changes ...podChange) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "p", UID: "pod-uid"}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}}}
	if claim != "" {
		pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "dev", ResourceClaimName: &claim}}
	}
	for _, apply := range changes {
		apply(pod)
	}
	return pod
}

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

func TestPools(t *testing.T) {
	g := NewWithT(t)
	client := liveCluster(t)
	text, err := runLive(t, client, "pools")
	g.Expect(err).NotTo(HaveOccurred())
	for _, want := range []string{
		"pool gpu.example.com/worker-1, node worker-1: 3 devices, 1 free, 1 held, 1 blocked\n",
		"  held: part-0: by team/holder (pod trainer)\n",
		"  free: part-1\n",
		"  blocked, counter gpu-0 memory needs 40Gi, 30Gi left: whole-0\n",
		"  gpu-0 memory: 10Gi/40Gi a\n",
		"  shared: nic-0: bandwidth 6G of 10G used, by team/share (no pod) bandwidth=6G\n",
		"no device can be allocated: incomplete: generation 3 has 1 of 2 slices\n",
		"  tainted, taint broken=yes:NoSchedule: broken\n",
		"  held, not there: unplugged (in no slice of its pool): by team/removed (no pod)\n",
	} {
		g.Expect(text).To(ContainSubstring(want))
	}
	for _, action := range client.Actions() {
		g.Expect(action.GetVerb()).To(BeElementOf("get", "list"), "the cluster is only read")
	}
}

func TestPoolsAreSelected(t *testing.T) {
	g := NewWithT(t)
	pools := func(args ...string) (names []string) {
		out, err := runLive(t, liveCluster(t), append([]string{"pools", "-o", "yaml"}, args...)...)
		g.Expect(err).NotTo(HaveOccurred())
		var got printedPools
		g.Expect(yaml.Unmarshal([]byte(out), &got)).To(Succeed())
		for _, pool := range got.Pools {
			names = append(names, pool.Driver+"/"+pool.Pool)
		}
		return names
	}
	g.Expect(pools("--node", "worker-1")).To(Equal([]string{"gpu.example.com/worker-1", "nic.example.com/worker-1"}))
	g.Expect(pools("--driver", "nic.example.com")).To(Equal([]string{"nic.example.com/worker-1"}))
	g.Expect(pools("--pool", "worker-3")).To(Equal([]string{"gpu.example.com/worker-3"}))
	g.Expect(pools()).To(HaveLen(4))
	_, err := runLive(t, liveCluster(t), "pools", "--node", "none")
	g.Expect(errors.Is(err, errUsage)).To(BeTrue(), "%v", err)
}

func TestPoolsThatNobodyPublishes(t *testing.T) {
	g := NewWithT(t)
	client := liveCluster(t)
	g.Expect(client.ResourceV1().ResourceSlices().Delete(t.Context(), "worker-3-devices", metav1.DeleteOptions{})).To(Succeed())
	text, err := runLive(t, client, "pools")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(ContainSubstring("pool gpu.example.com/worker-3, no nodes: 1 device, 0 free, 1 held"))
}

func TestLiveErrors(t *testing.T) {
	forbidden := apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), "", errors.New("no"))
	notServed := apierrors.NewGenericServerResponse(404, "list", resourceapi.Resource("resourceslices"), "", "the server could not find the requested resource", 0, true)
	for kind, test := range map[string]struct {
		err  error
		want string
	}{
		"resourceclaims": {forbidden, "list ResourceClaims: .*forbidden.*the rights to get and list"},
		"resourceslices": {notServed, "list ResourceSlices: the cluster does not serve resource.k8s.io/v1, which needs Kubernetes 1.34 or later"},
	} {
		for _, args := range [][]string{{"pools"}, {"explain", "pod", "p"}} {
			t.Run(fmt.Sprint(kind, args), func(t *testing.T) {
				client := liveCluster(t, podWith("any"))
				client.PrependReactor("list", kind, func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, test.err })
				_, err := runLive(t, client, args...)
				NewWithT(t).Expect(err).To(MatchError(MatchRegexp(test.want)))
			})
		}
	}
	_, err := runLive(t, liveCluster(t), "pools", "--gates", "none")
	NewWithT(t).Expect(errors.Is(err, errUsage)).To(BeTrue(), "%v", err)
}

// A release that draconform does not know is regarded as the newest one, and gates that cannot be read as the defaults.
func TestLiveNotes(t *testing.T) {
	g := NewWithT(t)
	client := liveCluster(t)
	client.Discovery().(*fakediscovery.FakeDiscovery).FakedServerVersion = &version.Info{GitVersion: "v1.99.0"}
	text, err := runLive(t, client, "pools")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(text).To(And(ContainSubstring("note: Kubernetes v1.99.0 is not a release that draconform knows"), ContainSubstring("note: the API server's metrics may not be read")))
}

func TestLiveCompletions(t *testing.T) {
	for want, args := range map[string][]string{
		"p":               {"explain", "pod", ""},
		"worker-2":        {"explain", "pod", "--node", ""},
		"nic.example.com": {"pools", "--driver", ""},
		"worker-3":        {"pools", "--pool", ""},
		"worker-1":        {"pools", "--node", ""},
	} {
		out, err := runLive(t, liveCluster(t, podWith("any")), append([]string{cobra.ShellCompRequestCmd}, args...)...)
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(strings.Split(out, "\n")).To(ContainElement(want), "%v", args)
	}
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
