// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject/discover"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

const upstreamFile = `name: test-driver.cdi.k8s.io
daemonSet: {namespace: dra, name: plugin, container: plugin}
roles:
  exclusive:
    device: {class: test-devices}
`

// The files that init writes suit the clusters that they were written from, but
// for what init does not find.
func TestInitWritesWhatCheckAccepts(t *testing.T) {
	for name, test := range map[string]struct {
		driver string
		nodes  []string
		want   []string
	}{
		"upstream": {"test-driver.cdi.k8s.io", []string{"worker-1", "worker-2"}, nil},
		"gpu": {"gpu.vendor.example", []string{"node-a", "node-b"}, []string{
			"warning devices roles.exclusive.device: specs use up to 4 devices of a node, and node-a has 3, node-b has 3 free: specs that need more are not applicable. Use nodes with more devices, or delete claims",
		}},
		"nic": {"nic.vendor.example", []string{"node-a", "node-b"}, []string{
			"warning devices roles.exclusive.device: specs use up to 4 devices of a node, and node-a has 1 free: specs that need more are not applicable. Use nodes with more devices, or delete claims",
		}},
		"cpu": {"dra.cpu", []string{"node-a"}, nil},
		"tpu": {"tpu.vendor.example", []string{"tpu-a", "tpu-b", "tpu-c", "tpu-d"}, []string{
			"warning devices roles.exclusive.device: specs use up to 4 devices of a node, and tpu-a has 1, tpu-b has 1, tpu-c has 1 and 1 more free: specs that need more are not applicable. Use nodes with more devices, or delete claims",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := clusterOf(t, name, test.nodes...)
			content, err := discover.File(t.Context(), c.Input, test.driver)
			g.Expect(err).NotTo(HaveOccurred())
			drivers, err := driverfile.Decode("my-driver.yaml", content)
			g.Expect(err).NotTo(HaveOccurred())
			want := test.want
			if drivers[0].DaemonSet == nil {
				want = append(want, "warning daemonset daemonSet: not given: specs that restart the driver cannot run. Add daemonSet, and allow what a run may do with it")
			}
			g.Expect(c.check(t, drivers[0], Options{})).To(Equal(want))
		})
	}
}

// Nothing is changed in the cluster: what specs create is created in dry runs.
func TestCheckOnlyReads(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	c.more = append(c.more, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "conformance"}})
	g.Expect(c.check(t, decode(t, upstreamFile), Options{Namespace: "conformance", Image: "workload"})).To(BeEmpty())
	tried := 0
	for _, action := range c.client.Actions() {
		if action.Matches("create", "pods") || action.Matches("create", "resourceclaims") {
			tried++
			g.Expect(action.(clienttesting.CreateActionImpl).CreateOptions.DryRun).To(Equal([]string{metav1.DryRunAll}))
		} else if !action.Matches("create", "selfsubjectaccessreviews") {
			g.Expect(action.GetVerb()).To(BeElementOf("get", "list"))
		}
	}
	g.Expect(tried).To(Equal(2))
}

func TestDriverAndPools(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	slices := c.Objects.Slices
	c.Objects.Slices[1].Spec.Pool.ResourceSliceCount = 2
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem pool name: schedulers do not use pool worker-2: ResourceSlice worker-2-test-driver.cdi.k8s.io-b, spec.pool.resourceSliceCount is 2, but pool worker-2 has 1 slices of generation 1 here. Wait until the driver has published all slices, or correct the driver"))

	c.Objects.Slices = nil
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem driver name: the driver publishes nothing, the cluster has no ResourceSlices: check the name, and that the driver's pods run"))
	slices[0].Spec.Driver = "other"
	slices[1].Spec.Driver = "another"
	c.Objects.Slices = slices
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem driver name: the driver publishes nothing, the cluster only has ResourceSlices of another, other: check the name, and that the driver's pods run"))
	slices[0].Spec.Driver, slices[1].Spec.Driver = "test-driver.cdi.k8s.io", "test-driver.cdi.k8s.io"
	slices[1].Spec.Pool.ResourceSliceCount = 1
	slices[0].Spec.Devices, slices[1].Spec.Devices = nil, nil
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem driver name: the driver publishes no devices: look at the logs of its pods"))
}

func TestNodes(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	c.Objects.Nodes[0].Spec.Taints = []corev1.Taint{{Key: "dra", Effect: corev1.TaintEffectNoSchedule}}
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"warning nodes roles.exclusive.device: pods cannot run on some nodes with these devices: worker-1: pods do not tolerate its taint dra:NoSchedule"))
	c.Objects.Nodes[1].Spec.Unschedulable = true
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem nodes roles.exclusive.device: pods cannot run on any node with these devices: worker-1: pods do not tolerate its taint dra:NoSchedule, worker-2: it is cordoned. Change pods.nodeSelector and pods.tolerations, or the nodes"))
	g.Expect(c.check(t, decode(t, upstreamFile+"pods: {tolerations: [{key: dra, operator: Exists}]}\n"), Options{})).To(ConsistOf(HavePrefix("warning nodes roles.exclusive.device: pods cannot run on some nodes with these devices: worker-2")))
}

// The rule is the one by which specs find nodes.
func TestNodesThatSpecsDoNotUse(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*corev1.Node)
		want   string
	}{
		"Windows":                {func(n *corev1.Node) { n.Labels[corev1.LabelOSStable] = "windows" }, `its label kubernetes.io/os is "windows", pods need "linux"`},
		"another architecture":   {func(n *corev1.Node) { n.Labels[corev1.LabelArchStable] = "arm64" }, "its architecture is arm64, the workload image is for [amd64]"},
		"not ready":              {func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }, "it is not ready"},
		"no condition":           {func(n *corev1.Node) { n.Status.Conditions = nil }, "it is not ready"},
		"without a wanted label": {func(n *corev1.Node) { n.Labels["pool"] = "small" }, `its label pool is "small", pods need "large"`},
	} {
		t.Run(name, func(t *testing.T) {
			c := clusterOf(t, "upstream", "worker-1", "worker-2")
			for _, node := range c.Objects.Nodes {
				node.Labels["pool"] = "large"
				test.change(node)
			}
			found := c.check(t, decode(t, upstreamFile+"pods: {nodeSelector: {pool: large}}\n"), Options{Architectures: []string{"amd64"}})
			NewWithT(t).Expect(found).To(ConsistOf(
				"problem nodes roles.exclusive.device: pods cannot run on any node with these devices: worker-1: " + test.want + ", worker-2: " + test.want + ". Change pods.nodeSelector and pods.tolerations, or the nodes"))
		})
	}
}

func TestDaemonSet(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	g.Expect(c.check(t, decode(t, upstreamFile+"allow: {update: {image: registry.example.com/test-driver:v1}}\n"), Options{})).To(ConsistOf(
		"problem daemonset allow.update.image: container plugin already has the image registry.example.com/test-driver:v1: an update needs another one"))
	c.DaemonSets[0].Status.NumberReady = 1
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"warning daemonset daemonSet: 1 of 2 pods of DaemonSet dra/plugin are ready: specs on the nodes of the others fail. Look at their events and logs"))
	c.DaemonSets[0].Status = appsv1.DaemonSetStatus{}
	c.DaemonSets[0].Spec.Template.Spec.Containers[1].Name = "driver"
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem daemonset daemonSet.container: DaemonSet dra/plugin has no container plugin, it has sidecar, driver",
		"problem daemonset daemonSet: no node matches the node selector and the tolerations of DaemonSet dra/plugin, so that it has no pods"))
	c.DaemonSets = nil
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		`problem daemonset daemonSet: DaemonSet dra/plugin does not exist: list those of the cluster with "kubectl get daemonsets -A"`))
}

func TestDriverThatCrashes(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	set := c.DaemonSets[0]
	set.UID = "set"
	set.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "plugin"}}
	set.Status.NumberReady = 0
	pod := func(name string, owner types.UID, state corev1.ContainerState, last corev1.ContainerState) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "dra", Name: name, Labels: map[string]string{"app": "plugin"},
				OwnerReferences: []metav1.OwnerReference{{UID: owner, Controller: ptr.To(true)}},
			},
			Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "sidecar", Ready: true}, {Name: "plugin", State: state, LastTerminationState: last}}},
		}
	}
	waits := func(reason, message string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
	}
	exited := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 2}}
	c.more = append(c.more, pod("another", "another", waits("ContainerCreating", ""), corev1.ContainerState{}), pod("plugin-x", "set", waits("CrashLoopBackOff", "back-off 5m0s"), exited))
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem daemonset daemonSet: none of the 2 pods of DaemonSet dra/plugin is ready, container plugin of pod plugin-x is in CrashLoopBackOff after exit code 2: look at their events and logs"))
	c.more = []runtime.Object{pod("plugin-x", "set", waits("ImagePullBackOff", "not found"), corev1.ContainerState{})}
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem daemonset daemonSet: none of the 2 pods of DaemonSet dra/plugin is ready, container plugin of pod plugin-x is in ImagePullBackOff: not found: look at their events and logs"))
}

// A finding has the line of the field, so that an editor can open it.
func TestPositions(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	found, err := Check(t.Context(), c.start(), []*driverfile.Driver{decode(t, upstreamFile)}, Options{})
	g.Expect(err).NotTo(HaveOccurred())
	positions := map[string]string{}
	for _, f := range found {
		positions[f.Field] = f.Position
	}
	g.Expect(positions).To(HaveKeyWithValue("daemonSet", "my-driver.yaml, line 4"))
	g.Expect(positions).To(HaveKeyWithValue("roles.exclusive.device", "my-driver.yaml, line 7"))
	g.Expect(Failed(found)).To(BeFalse())
}
