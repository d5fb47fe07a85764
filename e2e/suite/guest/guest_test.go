// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite/env"
)

const driver = "mig.example.com"

// newTestGuest returns a guest in a cluster, whose driver is a foreign one to
// it, and the environment of its specs.
func newTestGuest(t *testing.T, o fakecluster.Options, pods driverfile.Pods, change ...func(*corev1.Node)) (*Guest, *env.Env) {
	t.Helper()
	g := NewWithT(t)
	cluster, err := fakecluster.New(o)
	g.Expect(err).NotTo(HaveOccurred())
	client := cluster.Client()
	for i, change := range change {
		changeNode(t, client, i, change)
	}
	of := subject.Fakes{MIG: driver, WithoutPartitions: o.WithoutPartitions, NIC: o.NIC}.Subject()
	of.Pods = map[string]driverfile.Pods{driver: pods}
	guest := New(Config{
		Client: client, Namespace: "ours", RunID: "7", Labels: map[string]string{"draconform.dev/run": "7"}, Architectures: []string{"amd64"}, Subject: of,
		Timeouts: env.DefaultTimeouts(),
	})
	return guest, guest.env()
}

// held returns a claim of others that holds a device of the first node, and its
// pod.
func held(name, device string) []runtime.Object {
	meta := metav1.ObjectMeta{Name: name, Namespace: "elsewhere", UID: types.UID(name)}
	claim := &resourceapi.ResourceClaim{ObjectMeta: meta}
	claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{
		Name: "device", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: driver, AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1},
	}}
	claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: name, UID: meta.UID}}
	claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
		Results: []resourceapi.DeviceRequestAllocationResult{{Request: "device", Driver: driver, Pool: "node-1", Device: device}},
	}}
	return []runtime.Object{claim, &corev1.Pod{
		ObjectMeta: meta, Spec: corev1.PodSpec{NodeName: "node-1"},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "app"}}},
	}}
}

func changeNode(t *testing.T, client kubernetes.Interface, i int, change func(*corev1.Node)) {
	t.Helper()
	g := NewWithT(t)
	nodes, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	node := &nodes.Items[i]
	change(node)
	_, err = client.CoreV1().Nodes().Update(t.Context(), node, metav1.UpdateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
}
