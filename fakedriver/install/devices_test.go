// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"testing"
	"testing/synctest"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/install"
)

// podTemplate returns the pod template of the nodes' DaemonSet.
func podTemplate(g *WithT, client *fake.Clientset) corev1.PodTemplateSpec {
	return get[*appsv1.DaemonSet](g, client, "DaemonSet drivers/mig-2.example.com").Spec.Template
}

func TestDevices(t *testing.T) {
	for name, test := range map[string]struct {
		devices control.Devices
		want    []string
	}{
		"default":  {control.Devices{}, nil},
		"a model":  {control.Devices{Model: "h100-80gb"}, []string{"--model=h100-80gb"}},
		"a number": {control.Devices{Count: 2}, []string{"--count=2"}},
		"both":     {control.Devices{Model: "a100-80gb", Count: 8}, []string{"--count=8", "--model=a100-80gb"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := newCluster(1, pod("n1", corev1.ConditionTrue), slice("a", options.DriverName, "n1", 1, 1))
			with := options
			with.Devices = test.devices
			g.Expect(install.Install(aMinute(t), client, with)).To(Succeed())
			g.Expect(podTemplate(g, client).Spec.Containers[0].Args).To(Equal(append([]string{
				"plugin", "--driver-name=mig-2.example.com", "--control-token-file=/etc/draconform/control/token", "--device-status",
			}, test.want...)))
		})
	}
}

func TestDescriptionIsMountedIntoPods(t *testing.T) {
	g := NewWithT(t)
	client := newCluster(1, pod("n1", corev1.ConditionTrue), slice("a", options.DriverName, "n1", 1, 1))
	described := options
	described.Devices = control.Devices{Description: "devices: [{name: d, basic: {}}]\n"}
	g.Expect(install.Install(aMinute(t), client, described)).To(Succeed())

	stored := get[*corev1.ConfigMap](g, client, "ConfigMap drivers/mig-2.example.com")
	g.Expect(stored.Data).To(Equal(map[string]string{"devices.yaml": described.Devices.Description}))
	g.Expect(stored.Labels).To(And(HaveKeyWithValue(install.RunLabel, options.RunID), HaveKeyWithValue(install.DriverLabel, options.DriverName)))
	first := podTemplate(g, client)
	g.Expect(first.Spec.Volumes).To(ContainElement(corev1.Volume{Name: "description", VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: stored.Name}},
	}}))
	g.Expect(first.Spec.Containers[0].VolumeMounts).To(ContainElement(corev1.VolumeMount{Name: "description", MountPath: "/etc/draconform/description", ReadOnly: true}))
	g.Expect(first.Spec.Containers[0].Args).To(ContainElement("--file=/etc/draconform/description/devices.yaml"))

	described.Devices.Description = "devices: [{name: e, basic: {}}]\n"
	g.Expect(install.Install(aMinute(t), client, described)).To(Succeed())
	g.Expect(podTemplate(g, client)).NotTo(Equal(first), "a changed description causes a rollout")

	g.Expect(install.Install(aMinute(t), client, options)).To(Succeed())
	g.Expect(podTemplate(g, client).Spec.Volumes).To(HaveLen(len(first.Spec.Volumes)-1), "the description is removed")
}

// A topology that the driver does not know by name is mounted as a file into
// all pods that need it.
func TestDescribedTopologyIsMountedIntoAllPods(t *testing.T) {
	g := NewWithT(t)
	const mine = "name: mine\ngrid: 2x2\nhosts: {chips: 2x1, label: example.com/host}\nslices: [{shape: 2x2}]\n"
	described := byLabel
	described.Devices.Topology = mine
	client := multiHost(running(corev1.ConditionFalse))
	synctest.Test(t, func(t *testing.T) {
		g.Expect(install.Install(aMinute(t), client, described)).To(MatchError(ContainSubstring("the controller is not ready")))
	})
	const name = "drivers/tpu-2.example.com"
	g.Expect(get[*corev1.ConfigMap](g, client, "ConfigMap "+name).Data).To(Equal(map[string]string{"topology.yaml": mine}))
	for _, template := range []corev1.PodTemplateSpec{
		get[*appsv1.DaemonSet](g, client, "DaemonSet "+name).Spec.Template,
		get[*appsv1.Deployment](g, client, "Deployment "+name).Spec.Template,
	} {
		g.Expect(template.Spec.Containers[0].Args).To(ContainElement("--topology=/etc/draconform/description/topology.yaml"))
		g.Expect(template.Spec.Containers[0].VolumeMounts).To(ContainElement(corev1.VolumeMount{Name: "description", MountPath: "/etc/draconform/description", ReadOnly: true}))
	}
}
