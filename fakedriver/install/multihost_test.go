// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/install"
	"github.com/draconform/draconform/fakedriver/publish"
	"github.com/draconform/draconform/fakedriver/topology"
)

var (
	byName = install.Options{
		RunID: "run-1", Namespace: "drivers", DriverName: "tpu-2.example.com",
		Devices: control.Devices{Topology: "4x4", AssignHostsByName: true},
	}
	byLabel = install.Options{RunID: "run-1", Namespace: "drivers", DriverName: "tpu-2.example.com", Devices: control.Devices{Topology: "4x4"}}
)

const hostLabel = "draconform.dev/tpu-host"

// worker returns a node. The host may be empty.
func worker(name, host string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}}}
	if host != "" {
		node.Labels[hostLabel] = host
	}
	return node
}

func withdrawn(node *corev1.Node) *corev1.Node {
	node.Labels[topology.WithdrawnLabel(byLabel.DriverName)] = "true"
	return node
}

// running returns a plugin pod on each of two workers and two controller pods,
// all with the given readiness.
func running(ready corev1.ConditionStatus) []runtime.Object {
	control := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "c1", Labels: map[string]string{
		corev1.LabelHostname: "c1", "node-role.kubernetes.io/control-plane": "",
	}}}
	return []runtime.Object{
		control,
		podOf(byName, "node", "n1", corev1.ConditionTrue), podOf(byName, "node", "n2", corev1.ConditionTrue),
		podOf(byName, "controller", "n1", ready), podOf(byName, "controller", "n2", corev1.ConditionTrue),
	}
}

// published returns the pool of the topology with the first hosts, selected by
// a label.
func published(t *testing.T, label string, values ...string) []runtime.Object {
	t.Helper()
	g := NewWithT(t)
	described, err := topology.Load("4x4")
	g.Expect(err).NotTo(HaveOccurred())
	hosts := topology.Nodes{Label: label, Values: map[int]string{}}
	for host, value := range values {
		hosts.Values[host] = value
	}
	layout, err := described.Pool(hosts).Slices(publish.SeparateCounters)
	g.Expect(err).NotTo(HaveOccurred())
	var out []runtime.Object
	for i, slice := range publish.Objects(byName.DriverName, described.Name(), layout) {
		slice.Name = "slice-" + strconv.Itoa(i)
		out = append(out, slice)
	}
	return out
}

func multiHost(objects ...[]runtime.Object) *fake.Clientset {
	var all []runtime.Object
	for _, some := range objects {
		all = append(all, some...)
	}
	return newCluster(2, all...)
}

func TestInstallATopology(t *testing.T) {
	for name, test := range map[string]struct {
		options    install.Options
		nodes      []runtime.Object
		pool       []runtime.Object
		controller []string
	}{
		"with hosts by name": {
			byName, []runtime.Object{worker("n2", ""), worker("n1", "")}, published(t, corev1.LabelHostname, "n1", "n2"),
			[]string{"controller", "--driver-name=tpu-2.example.com", "--topology=4x4", "--assign-hosts-by-name=true"},
		},
		"with hosts by label": {
			byLabel, []runtime.Object{worker("n2", "0"), worker("n1", "1")}, published(t, hostLabel, "0", "1"),
			[]string{"controller", "--driver-name=tpu-2.example.com", "--topology=4x4"},
		},
		"with a withdrawn host": {
			byLabel, []runtime.Object{worker("n2", "0"), withdrawn(worker("n1", "1"))}, published(t, hostLabel, "0"),
			[]string{"controller", "--driver-name=tpu-2.example.com", "--topology=4x4"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			evicted := podOf(byName, "controller", "n3", corev1.ConditionFalse)
			evicted.Status.Phase = corev1.PodFailed
			client := multiHost(running(corev1.ConditionTrue), test.nodes, test.pool, []runtime.Object{evicted})
			g.Expect(install.Install(aMinute(t), client, test.options)).To(Succeed())
			const driver, namespaced = "tpu-2.example.com", "drivers/tpu-2.example.com"
			g.Expect(names(g, client)).To(ConsistOf(
				"Secret "+namespaced, "ServiceAccount "+namespaced, "ServiceAccount "+namespaced+"-node",
				"ValidatingAdmissionPolicy /"+driver, "ValidatingAdmissionPolicyBinding /"+driver,
				"ClusterRole /"+driver, "ClusterRoleBinding /"+driver, "ClusterRole /"+driver+"-node", "ClusterRoleBinding /"+driver+"-node",
				"Lease "+namespaced, "Role "+namespaced, "RoleBinding "+namespaced, "Deployment "+namespaced, "DaemonSet "+namespaced,
				"DeviceClass /"+driver, "ResourceSlice /slice-0", "ResourceSlice /slice-1",
			))
			deployment := get[*appsv1.Deployment](g, client, "Deployment "+namespaced)
			g.Expect(deployment.Spec.Template.Spec.Containers[0].Args).To(Equal(test.controller))
			set := get[*appsv1.DaemonSet](g, client, "DaemonSet "+namespaced)
			g.Expect(set.Spec.Template.Spec.Containers[0].Args).To(ContainElement("--topology=4x4"))
			g.Expect(set.Spec.Selector.MatchLabels).NotTo(Equal(deployment.Spec.Selector.MatchLabels), "they select different pods")
		})
	}
}

func TestInstallReportsWhyATopologyIsNotReady(t *testing.T) {
	workers := []runtime.Object{worker("n1", "0"), worker("n2", "1")}
	all := published(t, corev1.LabelHostname, "n1", "n2")
	for _, test := range []struct {
		name    string
		options install.Options
		cluster [][]runtime.Object
		message []string
	}{
		{"a controller that is not ready", byName, [][]runtime.Object{running(corev1.ConditionFalse), workers, all}, []string{
			"the controller is not ready on n1", "n1, pod drivers/tpu-2.example.com-controller-on-n1: Running; probe says no", "fake logs",
		}},
		{"a controller that finds no node", byName, [][]runtime.Object{append(running(corev1.ConditionTrue)[:4], podOf(byName, "controller", "", corev1.ConditionFalse)), workers, all}, []string{
			"the controller is not ready on no node yet", "no node yet, pod drivers/tpu-2.example.com-controller-on-: Running; probe says no",
		}},
		{"a controller that is missing", byName, [][]runtime.Object{running(corev1.ConditionTrue)[:4], workers, all}, []string{
			"the Deployment wants 2 pods and has 1",
		}},
		{"no worker", byName, [][]runtime.Object{running(corev1.ConditionTrue), all}, []string{
			"no node can be a host of the topology 4x4, it needs one that is not a control plane node",
		}},
		{"no label", byLabel, [][]runtime.Object{running(corev1.ConditionTrue), {worker("n1", ""), worker("n2", "")}, all}, []string{
			"no node is a host of the topology 4x4, it needs nodes with the label draconform.dev/tpu-host and one of the values 0, 1, 2, 3",
		}},
		{"two nodes for a host", byLabel, [][]runtime.Object{running(corev1.ConditionTrue), {worker("n1", "1"), worker("n2", "1")}, all}, []string{
			"host 1 is missing because 2 nodes have its label",
		}},
		{"no slices", byName, [][]runtime.Object{running(corev1.ConditionTrue), workers}, []string{
			"the pool 4x4 is not complete", "tpu-2.example.com-controller-on-n1",
		}},
		{"slices that are missing", byName, [][]runtime.Object{running(corev1.ConditionTrue), workers, all[:1]}, []string{
			"the pool 4x4 is not complete",
		}},
		{"a host that is missing", byName, [][]runtime.Object{running(corev1.ConditionTrue), workers, published(t, corev1.LabelHostname, "n1")}, []string{
			"device tpu-2x2-0-2 of the pool 4x4 does not have the expected nodes", "tpu-2.example.com-controller-on-n2",
		}},
		{"hosts by another label", byLabel, [][]runtime.Object{running(corev1.ConditionTrue), workers, all}, []string{
			"device tpu-2x2-0-0 of the pool 4x4 does not have the expected nodes",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			var err error
			synctest.Test(t, func(t *testing.T) { err = install.Install(aMinute(t), multiHost(test.cluster...), test.options) })
			g.Expect(err).To(MatchError(context.DeadlineExceeded))
			for _, message := range test.message {
				g.Expect(err).To(MatchError(ContainSubstring(message)))
			}
		})
	}
}

// The slices have no owner reference, so the garbage collector does not remove
// them.
func TestUninstallATopology(t *testing.T) {
	g := NewWithT(t)
	client := multiHost(running(corev1.ConditionTrue), []runtime.Object{worker("n1", ""), worker("n2", "")}, published(t, corev1.LabelHostname, "n1", "n2"))
	g.Expect(install.Install(aMinute(t), client, byName)).To(Succeed())
	end := func(component string) {
		for _, node := range []string{"n1", "n2"} {
			name := podOf(byName, component, node, "").Name
			g.Expect(client.CoreV1().Pods(byName.Namespace).Delete(t.Context(), name, metav1.DeleteOptions{})).To(Succeed())
		}
	}
	end("node")

	var err error
	synctest.Test(t, func(t *testing.T) { err = install.Uninstall(aMinute(t), client, byName) })
	g.Expect(err).To(MatchError(ContainSubstring("wait until 2 pods of driver tpu-2.example.com are gone")), "controllers publish, too")
	g.Expect(names(g, client)).To(ConsistOf("ResourceSlice /slice-0", "ResourceSlice /slice-1"))
	end("controller")
	g.Expect(install.Uninstall(aMinute(t), client, install.Options{RunID: "run-1", Namespace: "drivers", DriverName: "tpu-2.example.com"})).
		To(Succeed(), "with any devices")
	g.Expect(names(g, client)).To(BeEmpty())
}
