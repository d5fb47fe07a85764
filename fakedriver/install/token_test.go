// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/install"
)

const secretName = "Secret drivers/mig-2.example.com"

func installed(t *testing.T) *fake.Clientset {
	client := newCluster(1, pod("n1", corev1.ConditionTrue), slice("a", options.DriverName, "n1", 1, 1))
	NewWithT(t).Expect(install.Install(aMinute(t), client, options)).To(Succeed())
	return client
}

func tokenIn(g *WithT, client *fake.Clientset) string {
	return string(get[*corev1.Secret](g, client, secretName).Data["token"])
}

func TestEachInstallationHasItsOwnToken(t *testing.T) {
	g := NewWithT(t)
	client, another := installed(t), installed(t)
	g.Expect(len(tokenIn(g, client))).To(BeNumerically(">=", 26), "128 bits in base 32")
	g.Expect(tokenIn(g, client)).NotTo(Equal(tokenIn(g, another)))
}

// Running pods use the existing token.
func TestInstallingAgainKeepsTheToken(t *testing.T) {
	g := NewWithT(t)
	client := installed(t)
	before := tokenIn(g, client)
	g.Expect(install.Install(aMinute(t), client, options)).To(Succeed())
	g.Expect(tokenIn(g, client)).To(Equal(before))
	g.Expect(get[*corev1.Secret](g, client, secretName).Immutable).To(HaveValue(BeTrue()))
}

func TestPodsHaveTheToken(t *testing.T) {
	g := NewWithT(t)
	client := installed(t)
	template := get[*appsv1.DaemonSet](g, client, "DaemonSet drivers/mig-2.example.com").Spec.Template.Spec
	var mounted *corev1.SecretVolumeSource
	for _, volume := range template.Volumes {
		if volume.Name == "control" {
			mounted = volume.Secret
		}
	}
	g.Expect(mounted.SecretName).To(Equal(options.DriverName))
	g.Expect(mounted.DefaultMode).To(HaveValue(BeEquivalentTo(0o400)))
	g.Expect(mounted.Optional).To(HaveValue(BeTrue()), "the manifest works without the Secret")
	container := template.Containers[0]
	g.Expect(container.VolumeMounts).To(ContainElement(corev1.VolumeMount{Name: "control", MountPath: "/etc/draconform/control", ReadOnly: true}))
	g.Expect(container.Args).To(ContainElement("--control-token-file=/etc/draconform/control/token"))
	g.Expect(container.Ports[0].ContainerPort).To(BeEquivalentTo(control.Port))
}

func TestInstallRejectsASecretWithoutAToken(t *testing.T) {
	g := NewWithT(t)
	client := newCluster(1, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: options.Namespace, Name: options.DriverName,
		Labels: map[string]string{install.RunLabel: options.RunID, install.DriverLabel: options.DriverName},
	}})
	g.Expect(install.Install(aMinute(t), client, options)).
		To(MatchError("secret drivers/mig-2.example.com has no token for the control endpoint"))
}
