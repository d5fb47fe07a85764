// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/install"
)

func TestInstall(t *testing.T) {
	g := NewWithT(t)
	client := newCluster(2,
		pod("n1", corev1.ConditionTrue), pod("n2", corev1.ConditionTrue),
		slice("a", options.DriverName, "n1", 1, 1),
		slice("b", options.DriverName, "n2", 3, 2), slice("c", options.DriverName, "n2", 3, 2),
		slice("d", options.DriverName, "n2", 2, 1),
	)
	g.Expect(install.Install(aMinute(t), client, options)).To(Succeed())

	const name, namespaced = "mig-2.example.com", "drivers/mig-2.example.com"
	g.Expect(names(g, client)).To(ConsistOf(
		"ServiceAccount "+namespaced, "Secret "+namespaced,
		"ValidatingAdmissionPolicy /"+name, "ValidatingAdmissionPolicyBinding /"+name,
		"ClusterRole /"+name, "ClusterRoleBinding /"+name,
		"DaemonSet "+namespaced, "DeviceClass /"+name,
		"ResourceSlice /a", "ResourceSlice /b", "ResourceSlice /c", "ResourceSlice /d",
	))
	for description, object := range objects(g, client) {
		if !strings.HasPrefix(description, "ResourceSlice") {
			g.Expect(object.GetLabels()).To(And(
				HaveKeyWithValue(install.RunLabel, options.RunID), HaveKeyWithValue(install.DriverLabel, name),
			), description)
		}
	}
	set := get[*appsv1.DaemonSet](g, client, "DaemonSet "+namespaced)
	template := set.Spec.Template
	g.Expect(template.Labels).To(HaveKeyWithValue(install.RunLabel, options.RunID))
	for key, value := range set.Spec.Selector.MatchLabels {
		g.Expect(template.Labels).To(HaveKeyWithValue(key, value))
	}
	container := template.Spec.Containers[0]
	g.Expect(container.Image).To(Equal(options.Image))
	g.Expect(container.Args).To(ContainElement("--driver-name=" + name))
	g.Expect(container.VolumeMounts[0].MountPath).To(Equal("/var/lib/kubelet/plugins/" + name))
	g.Expect(template.Spec.Volumes[0].HostPath.Path).To(Equal(container.VolumeMounts[0].MountPath))
	binding := get[*rbacv1.ClusterRoleBinding](g, client, "ClusterRoleBinding /"+name)
	g.Expect(binding.RoleRef.Name).To(Equal(name))
	g.Expect(binding.Subjects).To(Equal([]rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "drivers", Name: template.Spec.ServiceAccountName}}))
	g.Expect(template.Spec.ServiceAccountName).To(Equal(name))
	class := get[*resourceapi.DeviceClass](g, client, "DeviceClass /"+name)
	g.Expect(class.Spec.Selectors[0].CEL.Expression).To(Equal(`device.driver == "mig-2.example.com"`))
}

func TestInstallIsIdempotent(t *testing.T) {
	g := NewWithT(t)
	client := newCluster(1, pod("n1", corev1.ConditionTrue), slice("a", options.DriverName, "n1", 1, 1))
	g.Expect(install.Install(aMinute(t), client, options)).To(Succeed())
	before := objects(g, client)
	g.Expect(install.Install(aMinute(t), client, options)).To(Succeed())
	after := objects(g, client)
	g.Expect(after).To(HaveLen(len(before)))
	for name, object := range after {
		object.SetManagedFields(nil) // They contain timestamps.
		before[name].SetManagedFields(nil)
		g.Expect(object).To(Equal(before[name]), name)
	}
}

// A name that YAML would decode as another type than a string is valid.
func TestInstallUnderAnyName(t *testing.T) {
	for _, name := range []string{"null", "true", "x", "mig." + strings.Repeat("long-name.", 5) + "example"} {
		g := NewWithT(t)
		named := options
		named.DriverName = name
		client := newCluster(1, podOf(named, "node", "n1", corev1.ConditionTrue), slice("a", name, "n1", 1, 1))
		g.Expect(install.Install(aMinute(t), client, named)).To(Succeed())
		g.Expect(get[*appsv1.DaemonSet](g, client, "DaemonSet drivers/"+name).Spec.Template.Spec.ServiceAccountName).To(Equal(name))
	}
}

func TestInstallRejectsObjectsOfOthers(t *testing.T) {
	foreign := metav1.ObjectMeta{Name: options.DriverName, Labels: map[string]string{install.RunLabel: "run-2", install.DriverLabel: options.DriverName}}
	namespaced := foreign
	namespaced.Namespace = options.Namespace
	unlabelled := metav1.ObjectMeta{Name: options.DriverName}
	for name, test := range map[string]struct {
		object  runtime.Object
		message string
	}{
		"class of another run":  {&resourceapi.DeviceClass{ObjectMeta: foreign}, `install DeviceClass mig-2.example.com for run run-1: it does not belong to the run: label draconform.dev/run is "run-2"`},
		"class of a vendor":     {&resourceapi.DeviceClass{ObjectMeta: unlabelled}, "install DeviceClass mig-2.example.com for run run-1: it does not belong to the run: label draconform.dev/run is \"\""},
		"Secret of another run": {&corev1.Secret{ObjectMeta: namespaced}, `install Secret mig-2.example.com for run run-1: it does not belong to the run: label draconform.dev/run is "run-2"`},
		"unlabelled role":       {&rbacv1.ClusterRole{ObjectMeta: unlabelled}, "install ClusterRole mig-2.example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := newCluster(1, test.object)
			before := names(g, client)
			g.Expect(install.Install(aMinute(t), client, options)).To(MatchError(ContainSubstring(test.message)))
			g.Expect(names(g, client)).To(ConsistOf(before), "nothing was created")
		})
	}
}

func TestOptionsAreValidated(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(*install.Options)
		message string
	}{
		{"no run", func(o *install.Options) { o.RunID = "" }, `"" is not a valid run id`},
		{"no label value", func(o *install.Options) { o.RunID = "a/b" }, `"a/b" is not a valid run id`},
		{"no namespace", func(o *install.Options) { o.Namespace = "" }, "the namespace is missing"},
		{"no namespace's name", func(o *install.Options) { o.Namespace = `x" || true` }, "is not a valid namespace"},
		{"no domain", func(o *install.Options) { o.DriverName = "MIG" }, `"MIG" is not a valid driver name`},
		{"a digit first", func(o *install.Options) { o.DriverName = "1e3" }, `"1e3" is not a valid driver name`},
		{"too long", func(o *install.Options) { o.DriverName = strings.Repeat("a", 64) }, "is not a valid driver name"},
		{"unknown model", func(o *install.Options) { o.Devices.Model = "abacus" }, `unknown model "abacus", use one of a100-40gb`},
		{"a negative number", func(o *install.Options) { o.Devices.Count = -1 }, "the number of devices must be positive, not -1"},
		{"wrong description", func(o *install.Options) { o.Devices.Description = "devices:\n- nam: d\n" }, `line 2: unknown field "nam"`},
		{"unknown topology", func(o *install.Options) { o.Devices.Topology = "9x9" }, `unknown topology "9x9", use one of 4x4, 8x8`},
		{"two ways", func(o *install.Options) { o.Devices = control.Devices{Model: "a100-40gb", Topology: "4x4"} }, "devices are either"},
		{"hosts without a topology", func(o *install.Options) { o.Devices.AssignHostsByName = true }, "without a topology"},
	} {
		changed := options
		test.change(&changed)
		for _, do := range []func() error{
			func() error { return install.Install(aMinute(t), newCluster(1), changed) },
			func() error { return install.Uninstall(aMinute(t), newCluster(1), changed) },
			func() error { _, err := install.Control(t.Context(), newCluster(1), changed, "n1"); return err },
		} {
			NewWithT(t).Expect(do()).To(MatchError(ContainSubstring(test.message)), test.name)
		}
	}
}
