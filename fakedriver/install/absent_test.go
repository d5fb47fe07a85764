// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/install"
)

const absent = "mig-2.example.com/absent"

// Stop returns when the driver's pod on the node is gone. Pods on other nodes
// keep running.
func TestStopAndStart(t *testing.T) {
	g := NewWithT(t)
	node := func(name string) runtime.Object {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"zone": "a"}}}
	}
	client := newCluster(2, node("node-1"), node("node-2"), pod("node-1", corev1.ConditionTrue), pod("node-2", corev1.ConditionTrue))
	polls := 0
	client.PrependReactor("list", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if polls++; polls == 2 {
			return false, nil, client.Tracker().Delete(action.GetResource(), options.Namespace, pod("node-1", corev1.ConditionTrue).Name)
		}
		return false, nil, nil
	})
	labels := func(name string) map[string]string {
		got, err := client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		return got.Labels
	}
	g.Expect(install.Stop(t.Context(), client, options, "node-1")).To(Succeed())
	g.Expect(polls).To(Equal(2), "it waits until the pod is gone")
	g.Expect(labels("node-1")).To(Equal(map[string]string{"zone": "a", absent: "true"}))
	g.Expect(labels("node-2")).To(Equal(map[string]string{"zone": "a"}))
	g.Expect(install.Start(t.Context(), client, options, "node-1")).To(Succeed())
	g.Expect(install.Start(t.Context(), client, options, "node-1")).To(Succeed())
	g.Expect(labels("node-1")).To(Equal(map[string]string{"zone": "a"}))

	g.Expect(install.Stop(t.Context(), client, options, "node-3")).To(MatchError(ContainSubstring("label node node-3 with " + absent)))
}

// The kubelet may take long to remove a pod whose containers have terminated.
func TestStopDoesNotWaitForTheRemovalOfThePod(t *testing.T) {
	g := NewWithT(t)
	leaving := pod("node-1", corev1.ConditionTrue)
	leaving.DeletionTimestamp, leaving.Finalizers = ptr.To(metav1.Now()), []string{"example.com/slow"}
	leaving.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	client := newCluster(1, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}, leaving)
	polls := 0
	client.PrependReactor("list", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		switch polls++; polls {
		case 2:
			return true, nil, errors.New("no answer")
		case 3:
			leaving = leaving.DeepCopy()
			leaving.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
			return false, nil, client.Tracker().Update(action.GetResource(), leaving, leaving.Namespace)
		}
		return false, nil, nil
	})
	g.Expect(install.Stop(t.Context(), client, options, "node-1")).To(Succeed())
	g.Expect(polls).To(Equal(3))
}

func TestUninstallRemovesLabelsOfNodes(t *testing.T) {
	g := NewWithT(t)
	labelled := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", Labels: map[string]string{absent: "true", "mig-2.example.com/withdrawn": "true", "zone": "a"}}}
	client := newCluster(1, labelled)
	g.Expect(install.Uninstall(t.Context(), client, options)).To(Succeed())
	got, err := client.CoreV1().Nodes().Get(t.Context(), "node-1", metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Labels).To(Equal(map[string]string{"zone": "a"}))

	client.PrependReactor("list", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("no answer")
	})
	g.Expect(install.Uninstall(t.Context(), client, options)).To(MatchError(ContainSubstring("list nodes with the label mig-2.example.com/absent: no answer")))
}
