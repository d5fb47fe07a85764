// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/install"
)

func TestUninstall(t *testing.T) {
	g := NewWithT(t)
	described := options
	described.Devices = control.Devices{Description: "devices: [{name: d, basic: {}}]\n"}
	client := newCluster(1, pod("n1", corev1.ConditionTrue), slice("a", options.DriverName, "n1", 1, 1))
	g.Expect(install.Install(aMinute(t), client, described)).To(Succeed())

	var err error
	synctest.Test(t, func(t *testing.T) { err = install.Uninstall(aMinute(t), client, options) })
	g.Expect(err).To(And(MatchError(context.DeadlineExceeded), MatchError(ContainSubstring("wait until 1 pods of driver mig-2.example.com are gone"))))
	g.Expect(names(g, client)).To(ConsistOf("ResourceSlice /a"), "slices are removed after the pods")
	g.Expect(client.CoreV1().Pods(options.Namespace).Delete(t.Context(), pod("n1", "").Name, metav1.DeleteOptions{})).To(Succeed())
	g.Expect(install.Uninstall(aMinute(t), client, options)).To(Succeed())
	g.Expect(names(g, client)).To(BeEmpty())
	g.Expect(install.Uninstall(aMinute(t), client, options)).To(Succeed(), "it is idempotent")
}

func TestTwoInstallations(t *testing.T) {
	g := NewWithT(t)
	other := install.Options{RunID: "run-2", Namespace: "others"}
	client := newCluster(1,
		pod("n1", corev1.ConditionTrue), slice("a", options.DriverName, "n1", 1, 1),
		podOf(install.Options{RunID: "run-2", Namespace: "others", DriverName: install.DefaultDriverName}, "node", "n1", corev1.ConditionTrue),
		slice("b", install.DefaultDriverName, "n1", 1, 1),
	)
	g.Expect(install.Install(aMinute(t), client, other)).To(Succeed())
	before := names(g, client)
	g.Expect(install.Install(aMinute(t), client, options)).To(Succeed())
	g.Expect(names(g, client)).To(HaveLen(2*len(before)-2), "all objects except the two slices exist twice")

	g.Expect(client.CoreV1().Pods(options.Namespace).Delete(t.Context(), pod("n1", "").Name, metav1.DeleteOptions{})).To(Succeed())
	g.Expect(install.Uninstall(aMinute(t), client, options)).To(Succeed())
	before = slices.DeleteFunc(before, func(name string) bool { return name == "ResourceSlice /a" })
	g.Expect(names(g, client)).To(ConsistOf(before), "only the other installation is left")
}

// Objects of another run with the same names are kept, and so are all slices,
// because they may belong to that run.
func TestUninstallKeepsObjectsOfOtherRuns(t *testing.T) {
	g := NewWithT(t)
	client := newCluster(1, pod("n1", corev1.ConditionTrue), slice("a", options.DriverName, "n1", 1, 1))
	g.Expect(install.Install(aMinute(t), client, options)).To(Succeed())
	before := names(g, client)

	other := options
	other.RunID = "run-2"
	mine := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{
		Namespace: other.Namespace, Name: other.DriverName,
		Labels: map[string]string{install.RunLabel: "run-2", install.DriverLabel: other.DriverName},
	}}
	g.Expect(client.Tracker().Add(mine)).To(Succeed())
	err := install.Uninstall(aMinute(t), client, other)
	g.Expect(err).To(MatchError(ContainSubstring(`remove DaemonSet mig-2.example.com of run run-2: it does not belong to the run: label draconform.dev/run is "run-1"`)))
	g.Expect(err).To(MatchError(ContainSubstring("remove Secret mig-2.example.com of run run-2")))
	g.Expect(names(g, client)).To(ConsistOf(before), "only objects of the run are removed")
}

// The names of drivers that were started through the control endpoint end in
// the installation's driver name. The driver of another installation may have
// the same ending.
func TestRemoveSlices(t *testing.T) {
	g := NewWithT(t)
	class := func(driver string, labels map[string]string) *resourceapi.DeviceClass {
		return &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: driver, Labels: labels}}
	}
	client := newCluster(1,
		slice("own", "mig.example.com", "n1", 1, 1),
		slice("additional", "more.mig.example.com", "n1", 1, 1),
		slice("other-prefix", "moremig.example.com", "n1", 1, 1),
		slice("other", "mine.mig.example.com", "n1", 1, 1),
		slice("of-other", "more.mine.mig.example.com", "n1", 1, 1),
		slice("parent", "example.com", "n1", 1, 1),
		class("mig.example.com", map[string]string{install.DriverLabel: "mig.example.com"}),
		class("example.com", map[string]string{install.DriverLabel: "example.com"}),
		class("mine.mig.example.com", map[string]string{install.DriverLabel: "mine.mig.example.com"}),
		class("more.mig.example.com", nil),
	)
	g.Expect(install.RemoveSlices(t.Context(), client, "mig.example.com")).To(Succeed())
	var left []string
	list, err := client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	for _, slice := range list.Items {
		left = append(left, slice.Name)
	}
	g.Expect(left).To(ConsistOf("other-prefix", "other", "of-other", "parent"))
}
