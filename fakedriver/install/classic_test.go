// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/install"
)

var ofClassic = install.Options{RunID: "run-1", Namespace: "drivers", DriverName: "classic-2.example.com", Classic: `{"network":4}`}

const classicName = "drivers/classic-2.example.com"

// classicCluster returns a cluster with a plugin on each of two nodes, and controllers
// with the given readiness.
func classicCluster(controllers ...corev1.ConditionStatus) *fake.Clientset {
	objects := []runtime.Object{podOf(ofClassic, "node", "n1", corev1.ConditionTrue), podOf(ofClassic, "node", "n2", corev1.ConditionTrue)}
	for i, ready := range controllers {
		objects = append(objects, podOf(ofClassic, "controller", []string{"n1", "n2"}[i], ready))
	}
	return newCluster(2, objects...)
}

func TestInstallClassicDriver(t *testing.T) {
	g := NewWithT(t)
	client := classicCluster(corev1.ConditionTrue)
	g.Expect(install.Install(aMinute(t), client, ofClassic)).To(Succeed())
	const driver = "classic-2.example.com"
	g.Expect(names(g, client)).To(ConsistOf(
		"Secret "+classicName, "ServiceAccount "+classicName, "ServiceAccount "+classicName+"-node",
		"ClusterRole /"+driver, "ClusterRoleBinding /"+driver, "ClusterRole /"+driver+"-node", "ClusterRoleBinding /"+driver+"-node",
		"Lease "+classicName, "ConfigMap "+classicName, "Role "+classicName, "RoleBinding "+classicName, "Deployment "+classicName, "DaemonSet "+classicName,
	))
	container := func(spec corev1.PodSpec) corev1.Container { return spec.Containers[0] }
	controller := container(get[*appsv1.Deployment](g, client, "Deployment "+classicName).Spec.Template.Spec)
	g.Expect(controller.Image).To(Equal("draconform.dev/classic:dev"))
	g.Expect(controller.Args).To(ContainElements("controller", "--driver-name="+driver, `--inventory={"network":4}`))
	plugin := container(get[*appsv1.DaemonSet](g, client, "DaemonSet "+classicName).Spec.Template.Spec)
	g.Expect(plugin.Args).To(Equal([]string{"plugin", "--driver-name=" + driver}))
	rights := get[*rbacv1.ClusterRole](g, client, "ClusterRole /"+driver).Rules
	g.Expect(rights).To(ContainElement(rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get", "list"}}),
		"the controller finds a node for a claim that no pod has asked for")
	role := get[*rbacv1.Role](g, client, "Role "+classicName)
	for _, rule := range role.Rules {
		if len(rule.ResourceNames) > 0 {
			g.Expect(rule.ResourceNames).To(Equal([]string{driver}), "the lease and the ConfigMap have the driver's name")
		}
	}
}

func TestUninstallClassicDriver(t *testing.T) {
	g := NewWithT(t)
	client := newCluster(2)
	g.Expect(install.Apply(aMinute(t), client, ofClassic)).To(Succeed())
	g.Expect(install.Uninstall(aMinute(t), client, ofClassic)).To(Succeed())
	g.Expect(names(g, client)).To(BeEmpty(), "also the ConfigMap that the controller writes to")
}

func TestInstallReportsWhyTheClassicDriverIsNotReady(t *testing.T) {
	for name, test := range map[string]struct {
		controllers []corev1.ConditionStatus
		want        string
	}{
		"a controller that is not ready": {[]corev1.ConditionStatus{corev1.ConditionFalse}, "the controller is not ready on n1"},
		"no controller":                  {nil, "the Deployment wants 1 pods and has 0"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var err error
			synctest.Test(t, func(t *testing.T) { err = install.Install(aMinute(t), classicCluster(test.controllers...), ofClassic) })
			g.Expect(err).To(MatchError(context.DeadlineExceeded))
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
}

func TestClassicDriverHasNoOtherDevices(t *testing.T) {
	g := NewWithT(t)
	wrong := ofClassic
	wrong.Devices = control.Devices{Topology: "4x4"}
	g.Expect(install.Install(aMinute(t), classicCluster(), wrong)).To(MatchError(ContainSubstring("no other devices than those of its inventory")))
}

func TestScaleControllers(t *testing.T) {
	g := NewWithT(t)
	client := classicCluster(corev1.ConditionTrue)
	g.Expect(install.Apply(aMinute(t), client, ofClassic)).To(Succeed())
	var err error
	synctest.Test(t, func(t *testing.T) { err = install.ScaleControllers(aMinute(t), client, ofClassic, 0) })
	g.Expect(err).To(MatchError(ContainSubstring("wait until driver classic-2.example.com has 0 controllers")), "its pod runs still")
	g.Expect(get[*appsv1.Deployment](g, client, "Deployment "+classicName).Spec.Replicas).To(HaveValue(BeZero()))
	g.Expect(client.CoreV1().Pods("drivers").Delete(t.Context(), podOf(ofClassic, "controller", "n1", "").Name, metav1.DeleteOptions{})).To(Succeed())
	g.Expect(install.ScaleControllers(aMinute(t), client, ofClassic, 0)).To(Succeed())
}

func TestReplaceControllers(t *testing.T) {
	g := NewWithT(t)
	client := classicCluster(corev1.ConditionTrue)
	g.Expect(install.Apply(aMinute(t), client, ofClassic)).To(Succeed())
	other := ofClassic
	other.Image = "example.com/classic:other"
	_, err := client.AppsV1().Deployments("drivers").Patch(t.Context(), ofClassic.DriverName, types.MergePatchType, []byte(`{"spec":{"replicas":0}}`), metav1.PatchOptions{FieldManager: "other"})
	g.Expect(err).NotTo(HaveOccurred(), "as ScaleControllers does")
	g.Expect(install.ReplaceControllers(aMinute(t), client, other)).To(Succeed())
	replaced := get[*appsv1.Deployment](g, client, "Deployment "+classicName)
	g.Expect(replaced.Spec.Template.Spec.Containers[0].Image).To(Equal(other.Image))
	g.Expect(replaced.Spec.Replicas).To(HaveValue(BeEquivalentTo(1)))
	g.Expect(get[*appsv1.DaemonSet](g, client, "DaemonSet "+classicName).Spec.Template.Spec.Containers[0].Image).To(Equal(other.Image))
	synctest.Test(t, func(t *testing.T) {
		err = install.ReplaceControllers(aMinute(t), classicCluster(corev1.ConditionFalse), other)
	})
	g.Expect(err).To(MatchError(ContainSubstring("wait until driver classic-2.example.com has a controller of image example.com/classic:other")))
	g.Expect(err).To(MatchError(context.DeadlineExceeded))
}

func TestLeadingController(t *testing.T) {
	g := NewWithT(t)
	client := classicCluster(corev1.ConditionTrue, corev1.ConditionTrue)
	g.Expect(install.Apply(aMinute(t), client, ofClassic)).To(Succeed())
	_, _, err := install.LeadingController(t.Context(), client, ofClassic)
	g.Expect(err).To(MatchError(ContainSubstring(`none of its 2 pods that run holds the lease, but ""`)))

	lead := func(pod, process string) string {
		identity := pod + "_" + process
		lease := get[*coordinationv1.Lease](g, client, "Lease "+classicName).DeepCopy()
		lease.Spec.HolderIdentity = &identity
		_, err := client.CoordinationV1().Leases("drivers").Update(t.Context(), lease, metav1.UpdateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		return identity
	}
	second := podOf(ofClassic, "controller", "n2", "").Name
	want := lead(second, "17")
	leader, identity, err := install.LeadingController(t.Context(), client, ofClassic)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(identity).To(Equal(want))
	g.Expect(leader).NotTo(BeNil())

	lead(strings.Replace(second, "n2", "n3", 1), "18")
	_, _, err = install.LeadingController(t.Context(), client, ofClassic)
	g.Expect(err).To(MatchError(ContainSubstring("holds the lease")), "the holder no longer exists")
}
