// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite/operations"
)

const daemonSetFile = gpuFile + "daemonSet: {namespace: gpus, name: plugin, container: driver}\n"

// foreignDriver returns the driver of a file whose DaemonSet has a pod on each of
// some nodes. The container of the first one was restarted.
func foreignDriver(t *testing.T, file string, nodes int) (*foreign, *fake.Clientset) {
	t.Helper()
	labels := map[string]string{"app": "gpu"}
	template := corev1.PodSpec{Containers: []corev1.Container{{Name: "registrar"}, {Name: "driver"}}}
	set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "gpus", Name: "plugin", UID: "set"}, Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{Spec: template},
	}}
	objects := []runtime.Object{set, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "gpus", Name: "stranger", Labels: labels}, Spec: corev1.PodSpec{NodeName: "node-0"}}}
	for i := range nodes {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: "gpus", Name: fmt.Sprintf("plugin-%d", i), Labels: labels,
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: set.Name, UID: set.UID, Controller: ptr.To(true)}},
		}, Spec: corev1.PodSpec{NodeName: fmt.Sprintf("node-%d", i)}}
		if i == 0 {
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
				Name: "driver", LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}},
			}}
		}
		objects = append(objects, pod)
	}
	drivers, err := driverfile.Decode("gpu.yaml", []byte(file))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	client := fake.NewClientset(objects...)
	return &foreign{runner: &runner{plan: &plan{described: drivers}, client: client}}, client
}

// podsOfLogs returns the pods and the instances of logs.
func podsOfLogs(logs []operations.DriverLog) []string {
	var all []string
	for _, log := range logs {
		all = append(all, fmt.Sprintf("%s on %s, previous: %t: %s", log.Pod, log.Node, log.Previous, log.Content))
	}
	return all
}

func TestDriverLogs(t *testing.T) {
	g := NewWithT(t)
	f, client := foreignDriver(t, daemonSetFile, 3)
	logs, err := f.Logs(t.Context(), "gpu.example.com", []string{"node-0", "node-2"}, time.Now().Add(-time.Minute))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(podsOfLogs(logs)).To(Equal([]string{
		"plugin-0 on node-0, previous: false: fake logs", "plugin-0 on node-0, previous: true: fake logs", "plugin-2 on node-2, previous: false: fake logs",
	}), "pods of the DaemonSet on these nodes, also before the restart of a container")
	var read []*corev1.PodLogOptions
	for _, action := range client.Actions() {
		if action.GetSubresource() == "log" {
			read = append(read, action.(clienttesting.GenericAction).GetValue().(*corev1.PodLogOptions))
		}
	}
	g.Expect(read).To(HaveLen(3))
	for _, options := range read {
		g.Expect(options.Container).To(Equal("driver"))
		g.Expect(*options.SinceSeconds).To(And(BeNumerically(">=", 60), BeNumerically("<", 90)), "lines since the spec began")
		g.Expect(*options.TailLines).To(BeNumerically("<=", 2000))
		g.Expect(*options.LimitBytes).To(BeNumerically("<=", 1<<20))
	}
}

// A cluster may have thousands of nodes.
func TestDriverLogsOfManyNodes(t *testing.T) {
	g := NewWithT(t)
	f, _ := foreignDriver(t, daemonSetFile, 20)
	logs, err := f.Logs(t.Context(), "gpu.example.com", nil, time.Time{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(logs).To(HaveLen(maxLogPods+1), "one of them was restarted")
}

func TestDriverLogsThatCannotBeRead(t *testing.T) {
	g := NewWithT(t)
	f, client := foreignDriver(t, daemonSetFile, 1)
	client.PrependReactor("get", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		options, ok := action.(clienttesting.GenericAction)
		if ok && options.GetValue().(*corev1.PodLogOptions).Previous {
			return true, nil, errors.New("previous terminated container not found")
		}
		return false, nil, nil
	})
	logs, err := f.Logs(t.Context(), "gpu.example.com", nil, time.Time{})
	g.Expect(logs).To(HaveLen(1), "the others are there")
	g.Expect(err).To(MatchError(And(HavePrefix("read the log of pod gpus/plugin-0 of the driver (allow.logs): "), HaveSuffix("previous terminated container not found"))))
}

// Logs may contain what is not meant for others.
func TestDriverLogsNeedPermission(t *testing.T) {
	g := NewWithT(t)
	f, _ := foreignDriver(t, daemonSetFile, 1)
	g.Expect(f.Lacks("gpu.example.com", operations.ReadLogs)).To(HavePrefix("needs to read the logs of the driver: add allow.logs to gpu.yaml, line "))
	f, _ = foreignDriver(t, daemonSetFile+"allow: {logs: true}\n", 1)
	g.Expect(f.Lacks("gpu.example.com", operations.ReadLogs)).To(BeEmpty())
	g.Expect(f.Lacks("gpu.example.com", operations.Restart)).NotTo(BeEmpty())
}
