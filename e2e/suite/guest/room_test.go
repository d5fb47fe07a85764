// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

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

// A pod with devices of two drivers needs a node with both.
func TestDevicesOfTwoDriversHaveToBeOnOneNode(t *testing.T) {
	const nic = "nic.example.com"
	for name, test := range map[string]struct {
		without  string // the node without network interfaces
		together bool
		want     string // the end of the reason, or empty
	}{
		"on one node":          {without: "node-1", together: true},
		"on different nodes":   {without: "node-2", together: true, want: "; node node-1 has 1, 1 are held by claim elsewhere/of-gpu-0; node node-2 has 0"},
		"that need not be one": {without: "node-2"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			guest, e := newTestGuest(t, fakecluster.Options{Nodes: 2, WithoutPartitions: true, NIC: nic, Objects: held("of-gpu-0", "gpu-0")}, driverfile.Pods{})
			slices := e.Client.ResourceV1().ResourceSlices()
			published, err := slices.List(t.Context(), metav1.ListOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			for _, slice := range published.Items {
				if slice.Spec.Driver == nic && *slice.Spec.NodeName == test.without {
					g.Expect(slices.Delete(t.Context(), slice.Name, metav1.DeleteOptions{})).To(Succeed())
				}
			}
			needed := Devices{Kinds: []subject.Kind{subject.KindExclusive, subject.KindShared}, Together: test.together}
			lacking, err := guest.WaitForDevices(t.Context(), e, needed, time.Millisecond)
			g.Expect(err).NotTo(HaveOccurred())
			if test.want == "" {
				g.Expect(lacking).To(BeEmpty())
			} else {
				g.Expect(lacking).To(And(ContainSubstring(" and, on the same node, a free device of class nic.example.com (driver nic.example.com)"), HaveSuffix(test.want)))
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
