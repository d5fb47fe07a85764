// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"testing"
	"time"

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
	of := subject.Fakes{MIG: driver, WithoutPartitions: o.WithoutPartitions}.Subject()
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

func unchanged(*corev1.Node) {}

func cordoned(node *corev1.Node) { node.Spec.Unschedulable = true }

func tainted(node *corev1.Node) {
	node.Spec.Taints = []corev1.Taint{{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}
}

func preferablyNot(node *corev1.Node) {
	node.Spec.Taints = []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectPreferNoSchedule}}
}

func notReady(node *corev1.Node) { node.Status.Conditions[0].Status = corev1.ConditionUnknown }

func labelled(key, value string) func(*corev1.Node) {
	return func(node *corev1.Node) { node.Labels[key] = value }
}

func TestUsableNodes(t *testing.T) {
	tolerating := driverfile.Pods{Tolerations: []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}}}
	for name, test := range map[string]struct {
		change func(*corev1.Node)
		pods   driverfile.Pods
		why    string // of the first node; the second one is always usable
	}{
		"right":            {unchanged, driverfile.Pods{}, ""},
		"tainted":          {tainted, driverfile.Pods{}, "pods do not tolerate its taint gpu=yes:NoSchedule"},
		"tolerated":        {tainted, tolerating, ""},
		"preferably not":   {preferablyNot, driverfile.Pods{}, ""},
		"cordoned":         {cordoned, tolerating, "it is cordoned"},
		"not ready":        {notReady, driverfile.Pods{}, "it is not ready"},
		"Windows":          {labelled(corev1.LabelOSStable, "windows"), driverfile.Pods{}, `its label kubernetes.io/os is "windows", pods need "linux"`},
		"ARM":              {labelled(corev1.LabelArchStable, "arm64"), driverfile.Pods{}, "its architecture is arm64, the workload image is for [amd64]"},
		"of another pool":  {labelled("pool", "small"), driverfile.Pods{NodeSelector: map[string]string{"pool": "large"}}, `its label pool is "small", pods need "large"`},
		"of the same pool": {labelled("pool", "large"), driverfile.Pods{NodeSelector: map[string]string{"pool": "large"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			guest, e := newTestGuest(t, fakecluster.Options{Nodes: 2}, test.pods, test.change, labelled("pool", "large"))
			node, err := e.Client.CoreV1().Nodes().Get(t.Context(), "node-1", metav1.GetOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(e.Unusable(node, driver)).To(Equal(test.why))
			want := 2
			if test.why != "" {
				want = 1
			}
			count, err := CountUsableNodes(t.Context(), e.Client, guest.Info(), e.Subject)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(count).To(Equal(map[string]int{driver: want}))
		})
	}
}

func TestDevicesAmongNeighbours(t *testing.T) {
	four := Devices{Kinds: []subject.Kind{subject.KindExclusive}, Count: 4}
	wholeGPUs := fakecluster.Options{GPUs: 4, WithoutPartitions: true}
	with := func(o fakecluster.Options, devices ...string) fakecluster.Options {
		for _, device := range devices {
			o.Objects = append(o.Objects, held("of-"+device, device)...)
		}
		return o
	}
	for name, test := range map[string]struct {
		cluster fakecluster.Options
		change  []func(*corev1.Node)
		needed  Devices
		want    string // the reason, or empty
	}{
		"no neighbours": {wholeGPUs, nil, four, ""},
		"too few": {
			fakecluster.Options{GPUs: 2, WithoutPartitions: true}, nil, four,
			"; node node-1 has 2",
		},
		"one is held": {
			with(wholeGPUs, "gpu-2"), nil, four,
			", which neighbours did not release within 0s; node node-1 has 4, 1 are held by claim elsewhere/of-gpu-2",
		},
		"one is held and fewer are needed": {with(wholeGPUs, "gpu-2"), nil, Devices{Kinds: four.Kinds, Count: 3}, ""},
		"another node is free":             {with(fakecluster.Options{Nodes: 2, GPUs: 4, WithoutPartitions: true}, "gpu-0"), nil, four, ""},
		"the free node is cordoned": {
			with(fakecluster.Options{Nodes: 2, GPUs: 4, WithoutPartitions: true}, "gpu-0", "gpu-1"), []func(*corev1.Node){unchanged, cordoned}, four,
			"node node-1 has 4, 2 are held by claims elsewhere/of-gpu-0, elsewhere/of-gpu-1; node node-2 cannot be used: it is cordoned",
		},
		"a part of the parent is held": {
			with(fakecluster.Options{}, "gpu-0-mig-1g-5gb-0"), nil, Devices{Kinds: []subject.Kind{subject.KindPartition}},
			"node node-1 has 1, 1 are held by claim elsewhere/of-gpu-0-mig-1g-5gb-0",
		},
		"a part of one parent is held": {with(fakecluster.Options{GPUs: 2}, "gpu-0-mig-1g-5gb-0"), nil, Devices{Kinds: []subject.Kind{subject.KindPartition}}, ""},
		"no devices are needed":        {with(wholeGPUs, "gpu-0"), nil, Devices{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			guest, e := newTestGuest(t, test.cluster, driverfile.Pods{}, test.change...)
			lacking, err := guest.WaitForDevices(t.Context(), e, test.needed, time.Millisecond)
			g.Expect(err).NotTo(HaveOccurred())
			if test.want == "" {
				g.Expect(lacking).To(BeEmpty())
			} else {
				g.Expect(lacking).To(And(MatchRegexp(`^needs (4 free devices|a free device) of class mig.example.com \(driver mig.example.com\)`), HaveSuffix(test.want)))
			}
		})
	}
}

// Claims of the run that a spec has left behind are no excuse.
func TestDevicesOfTheRunCountAsFree(t *testing.T) {
	g := NewWithT(t)
	o := fakecluster.Options{WithoutPartitions: true, Objects: held("leaked", "gpu-0")}
	for _, object := range o.Objects {
		meta := object.(metav1.Object)
		meta.SetNamespace("ours")
		meta.SetLabels(map[string]string{"draconform.dev/run": "7"})
	}
	guest, e := newTestGuest(t, o, driverfile.Pods{})
	needed := Devices{Kinds: []subject.Kind{subject.KindExclusive}}
	g.Expect(guest.WaitForDevices(t.Context(), e, needed, time.Millisecond)).To(BeEmpty())

	for _, object := range o.Objects {
		object.(metav1.Object).SetNamespace("ours-p2")
	}
	guest, e = newTestGuest(t, o, driverfile.Pods{})
	g.Expect(guest.WaitForDevices(t.Context(), e, needed, time.Millisecond)).To(BeEmpty(), "another process of the run is no neighbour")

	for _, object := range o.Objects {
		object.(metav1.Object).SetNamespace("ours")
		object.(metav1.Object).SetLabels(map[string]string{"draconform.dev/run": "8"})
	}
	guest, e = newTestGuest(t, o, driverfile.Pods{})
	g.Expect(guest.WaitForDevices(t.Context(), e, needed, time.Millisecond)).To(ContainSubstring("held by claim ours/leaked"), "another run is a neighbour")
}

func TestDevicesAreWaitedFor(t *testing.T) {
	g := NewWithT(t)
	guest, e := newTestGuest(t, fakecluster.Options{WithoutPartitions: true, Objects: held("short", "gpu-0")}, driverfile.Pods{})
	removed := time.AfterFunc(300*time.Millisecond, func() {
		_ = e.Client.CoreV1().Pods("elsewhere").Delete(t.Context(), "short", metav1.DeleteOptions{})
		_ = e.Client.ResourceV1().ResourceClaims("elsewhere").Delete(t.Context(), "short", metav1.DeleteOptions{})
	})
	defer removed.Stop()
	g.Expect(guest.WaitForDevices(t.Context(), e, Devices{Kinds: []subject.Kind{subject.KindExclusive}}, time.Minute)).To(BeEmpty())
}

// What the driver publishes wrongly is no excuse, as a shortage of devices is.
func TestInvalidPoolsAreNoExcuse(t *testing.T) {
	g := NewWithT(t)
	guest, e := newTestGuest(t, fakecluster.Options{Nodes: 2, WithoutPartitions: true}, driverfile.Pods{}, cordoned)
	needed := Devices{Kinds: []subject.Kind{subject.KindExclusive}, Count: 30}
	g.Expect(guest.WaitForDevices(t.Context(), e, needed, time.Millisecond)).To(HavePrefix("needs 30 free devices"))

	slices := e.Client.ResourceV1().ResourceSlices()
	published, err := slices.List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	for i := range published.Items {
		published.Items[i].Spec.Pool.ResourceSliceCount++
		_, err := slices.Update(t.Context(), &published.Items[i], metav1.UpdateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(guest.WaitForDevices(t.Context(), e, needed, time.Millisecond)).To(BeEmpty(), "the spec runs, and fails")
	g.Expect(CountUsableNodes(t.Context(), e.Client, guest.Info(), e.Subject)).To(Equal(map[string]int{driver: 1}), "the specs about the driver run as well")
}

// A driver that completes its pools in time is right.
func TestIncompletePoolsAreWaitedFor(t *testing.T) {
	g := NewWithT(t)
	guest, e := newTestGuest(t, fakecluster.Options{WithoutPartitions: true}, driverfile.Pods{})
	slices := e.Client.ResourceV1().ResourceSlices()
	published, err := slices.List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	set := func(count int64) error {
		slice := published.Items[0].DeepCopy()
		slice.Spec.Pool.ResourceSliceCount = count
		_, err := slices.Update(t.Context(), slice, metav1.UpdateOptions{})
		return err
	}
	g.Expect(set(2)).To(Succeed())
	completed := time.AfterFunc(300*time.Millisecond, func() { _ = set(1) })
	defer completed.Stop()
	begun := time.Now()
	g.Expect(guest.WaitForDevices(t.Context(), e, Devices{Kinds: []subject.Kind{subject.KindExclusive}}, time.Minute)).To(BeEmpty())
	g.Expect(time.Since(begun)).To(BeNumerically("<", 30*time.Second))
	g.Expect(e.FreeNodes).To(HaveKeyWithValue(driver, "node-1"), "its devices are used")
}

// After a restart of a process's only node, its drivers publish their devices again,
// one driver after the other.
func TestProcessWaitsForTheDevicesOfItsNode(t *testing.T) {
	g := NewWithT(t)
	guest, e := newTestGuest(t, fakecluster.Options{WithoutPartitions: true}, driverfile.Pods{})
	slices := e.Client.ResourceV1().ResourceSlices()
	published, err := slices.List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	slice := published.Items[0].DeepCopy()
	e.Node = *slice.Spec.NodeName
	g.Expect(slices.Delete(t.Context(), slice.Name, metav1.DeleteOptions{})).To(Succeed())
	again := time.AfterFunc(300*time.Millisecond, func() {
		slice.ResourceVersion, slice.UID = "", ""
		_, _ = slices.Create(t.Context(), slice, metav1.CreateOptions{})
	})
	defer again.Stop()
	needed := Devices{Kinds: []subject.Kind{subject.KindExclusive}}
	g.Expect(guest.WaitForDevices(t.Context(), e, needed, time.Minute)).To(BeEmpty())
	e.Node = "another"
	g.Expect(guest.WaitForDevices(t.Context(), e, needed, time.Millisecond)).NotTo(BeEmpty(), "a node that never has devices")
}
