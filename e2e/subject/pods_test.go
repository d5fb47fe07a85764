// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject/driverfile"
)

func amounts(cpu, memory string) map[corev1.ResourceName]resource.Quantity {
	all := map[corev1.ResourceName]resource.Quantity{}
	for name, amount := range map[corev1.ResourceName]string{corev1.ResourceCPU: cpu, corev1.ResourceMemory: memory} {
		if amount != "" {
			all[name] = resource.MustParse(amount)
		}
	}
	return all
}

func TestPodsOfSeveralDriversHaveWhatAllNeed(t *testing.T) {
	g := NewWithT(t)
	gpuTaint, nicTaint := corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpExists}, corev1.Toleration{Key: "nic", Operator: corev1.TolerationOpExists}
	s := Subject{Pods: map[string]driverfile.Pods{
		"gpu": {
			NodeSelector: map[string]string{"gpu": "yes", "zone": "a"}, Tolerations: []corev1.Toleration{gpuTaint}, RuntimeClassName: "gpu",
			Resources: &driverfile.Resources{Requests: amounts("1", "1Gi"), Limits: amounts("", "2Gi")}, ImagePullSecrets: []string{"registry"},
		},
		"nic": {
			NodeSelector: map[string]string{"nic": "yes", "zone": "a"}, Tolerations: []corev1.Toleration{nicTaint}, Image: "registry.example.com/workload",
			Resources: &driverfile.Resources{Requests: amounts("2", "512Mi"), Limits: amounts("3", "")}, ImagePullSecrets: []string{"registry", "other"},
			SecurityContext: &corev1.SecurityContext{RunAsUser: ptr.To[int64](7)}, Labels: map[string]string{"team": "net"},
		},
		"plain": {},
	}}
	got, err := s.PodsOf("gpu", "plain", "nic", "unknown")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal(driverfile.Pods{
		NodeSelector: map[string]string{"gpu": "yes", "nic": "yes", "zone": "a"}, Tolerations: []corev1.Toleration{gpuTaint, nicTaint},
		RuntimeClassName: "gpu", Image: "registry.example.com/workload", ImagePullSecrets: []string{"other", "registry"},
		Resources:       &driverfile.Resources{Requests: amounts("2", "1Gi"), Limits: amounts("3", "2Gi")},
		SecurityContext: &corev1.SecurityContext{RunAsUser: ptr.To[int64](7)}, Labels: map[string]string{"team": "net"},
	}))
	g.Expect(s.Pods["gpu"].NodeSelector).To(HaveLen(2), "the descriptions of the drivers are unchanged")
	g.Expect(s.Pods["gpu"].Resources.Requests[corev1.ResourceCPU]).To(Equal(resource.MustParse("1")))
}

func TestPodsOfDriversThatContradictEachOther(t *testing.T) {
	for name, test := range map[string]struct {
		one, other driverfile.Pods
		want       string
	}{
		"node selector": {
			driverfile.Pods{NodeSelector: map[string]string{"pool": "gpu"}}, driverfile.Pods{NodeSelector: map[string]string{"pool": "nic"}},
			"pods.nodeSelector of driver other has pool=nic, another driver of the same pod has pool=gpu",
		},
		"runtime class": {
			driverfile.Pods{RuntimeClassName: "a"}, driverfile.Pods{RuntimeClassName: "b"},
			"pods.runtimeClassName of driver other differs from that of another driver of the same pod",
		},
		"security context": {
			driverfile.Pods{SecurityContext: &corev1.SecurityContext{RunAsUser: ptr.To[int64](1)}}, driverfile.Pods{SecurityContext: &corev1.SecurityContext{RunAsUser: ptr.To[int64](2)}},
			"pods.securityContext of driver other differs from that of another driver of the same pod",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			s := Subject{Pods: map[string]driverfile.Pods{"one": test.one, "other": test.other}}
			_, err := s.PodsOf("one", "other")
			g.Expect(err).To(MatchError(test.want))
			_, err = s.PodsOf("one", "one")
			g.Expect(err).NotTo(HaveOccurred(), "the same value twice is no contradiction")
		})
	}
}

func TestDriverOfClass(t *testing.T) {
	g := NewWithT(t)
	s := Fakes{MIG: "mig.example.com", NIC: "nic.example.com"}.Subject()
	g.Expect(s.DriverOfClass(s.Partitions.Small.Class)).To(Equal("mig.example.com"))
	g.Expect(s.DriverOfClass(s.Shared.Share.Class)).To(Equal("nic.example.com"))
	g.Expect(s.DriverOfClass("unknown")).To(BeEmpty())
	g.Expect(s.DriverOfClass("")).To(BeEmpty(), "a field that is not described has no class")
	g.Expect(s.Only([]Kind{KindShared}).DriverOfClass(s.Partitions.Small.Class)).To(BeEmpty())
}
