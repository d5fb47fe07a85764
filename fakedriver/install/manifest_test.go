// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/fakedriver/install"
)

// renamed returns the DaemonSet of a topology with the name and the service
// account of one without a topology.
func renamed(set *appsv1.DaemonSet) *appsv1.DaemonSet {
	out := set.DeepCopy()
	spec := &out.Spec.Template.Spec
	spec.ServiceAccountName = strings.TrimSuffix(spec.ServiceAccountName, "-node")
	var args []string
	for _, arg := range spec.Containers[0].Args {
		if !strings.HasPrefix(arg, "--topology=") {
			args = append(args, arg)
		}
	}
	spec.Containers[0].Args = args
	return out
}

// The pod template of the nodes is the same in both manifests, except for flags
// and permissions.
func TestBothManifestsHaveTheSamePlugin(t *testing.T) {
	g := NewWithT(t)
	same := byLabel
	same.DriverName, same.Image = options.DriverName, options.Image
	client := multiHost(running(corev1.ConditionFalse))
	synctest.Test(t, func(t *testing.T) {
		g.Expect(install.Install(aMinute(t), client, same)).NotTo(Succeed(), "its pods do not exist")
	})
	const name = "DaemonSet drivers/mig-2.example.com"
	node, multiHost := get[*appsv1.DaemonSet](g, installed(t), name), get[*appsv1.DaemonSet](g, client, name)
	// Devices of a topology span nodes, so that the driver of a node may not write
	// their status.
	args := &node.Spec.Template.Spec.Containers[0].Args
	*args = slices.DeleteFunc(*args, func(arg string) bool { return arg == "--device-status" })
	g.Expect(renamed(multiHost).Spec).To(Equal(node.Spec))
}

// The pod only mounts the host paths that a DRA driver requires.
func TestPluginHasMinimalPrivileges(t *testing.T) {
	g := NewWithT(t)
	set := get[*appsv1.DaemonSet](g, installed(t), "DaemonSet drivers/mig-2.example.com")
	pod := set.Spec.Template.Spec
	g.Expect(pod.HostNetwork || pod.HostPID || pod.HostIPC).To(BeFalse())
	var paths []string
	for _, volume := range pod.Volumes {
		if volume.HostPath != nil {
			paths = append(paths, volume.HostPath.Path)
		}
	}
	g.Expect(paths).To(ConsistOf("/var/lib/kubelet/plugins/mig-2.example.com", "/var/lib/kubelet/plugins_registry", "/var/run/cdi"))
	container := pod.Containers[0]
	g.Expect(container.SecurityContext.Privileged).To(BeNil())
	g.Expect(container.SecurityContext.AllowPrivilegeEscalation).To(HaveValue(BeFalse()))
	g.Expect(container.SecurityContext.ReadOnlyRootFilesystem).To(HaveValue(BeTrue()))
	g.Expect(container.SecurityContext.Capabilities).To(Equal(&corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}))
	g.Expect(container.SecurityContext.SeccompProfile.Type).To(Equal(corev1.SeccompProfileTypeRuntimeDefault))
	g.Expect(container.Resources.Limits).To(HaveKey(corev1.ResourceMemory))
	// Two plugins on a node would write the same files.
	g.Expect(set.Spec.UpdateStrategy.Type).To(Equal(appsv1.RollingUpdateDaemonSetStrategyType))
	g.Expect(set.Spec.UpdateStrategy.RollingUpdate.MaxSurge.IntValue()).To(BeZero())
	g.Expect(set.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable.IntValue()).To(Equal(1))
}

// Each service account is bound to its own role only.
func TestServiceAccountsHaveTheirRoles(t *testing.T) {
	for name, client := range map[string]*fake.Clientset{
		"ClusterRoleBinding /mig-2.example.com":      installed(t),
		"ClusterRoleBinding /tpu-2.example.com":      installedTopology(t),
		"ClusterRoleBinding /tpu-2.example.com-node": installedTopology(t),
	} {
		g := NewWithT(t)
		binding := get[*rbacv1.ClusterRoleBinding](g, client, name)
		g.Expect(binding.RoleRef.Name).To(Equal(binding.Name))
		g.Expect(binding.Subjects).To(Equal([]rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "drivers", Name: binding.Name}}))
		get[*corev1.ServiceAccount](g, client, "ServiceAccount drivers/"+binding.Name)
	}
	g := NewWithT(t)
	client := installedTopology(t)
	lease := get[*rbacv1.RoleBinding](g, client, "RoleBinding drivers/tpu-2.example.com")
	g.Expect(lease.RoleRef.Name).To(Equal("tpu-2.example.com"))
	g.Expect(lease.Subjects).To(Equal([]rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "drivers", Name: "tpu-2.example.com"}}))
	role := get[*rbacv1.Role](g, client, "Role drivers/tpu-2.example.com")
	g.Expect(role.Rules).To(HaveLen(1))
	g.Expect(role.Rules[0].ResourceNames).To(Equal([]string{"tpu-2.example.com"}))
	g.Expect(get[*appsv1.DaemonSet](g, client, "DaemonSet drivers/tpu-2.example.com").Spec.Template.Spec.ServiceAccountName).To(Equal("tpu-2.example.com-node"))
	g.Expect(get[*appsv1.Deployment](g, client, "Deployment drivers/tpu-2.example.com").Spec.Template.Spec.ServiceAccountName).To(Equal("tpu-2.example.com"))
}
