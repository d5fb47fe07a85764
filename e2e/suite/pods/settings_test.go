// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gstruct"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite/env"
)

// guest returns the environment of a spec that uses devices of two drivers.
func guest() *env.Env {
	return &env.Env{
		Client: fake.NewClientset(), Namespace: "ours", Workload: "workload:1", Labels: map[string]string{"draconform.dev/run": "7"},
		Guest: &env.Guest{Architectures: []string{"arm64"}},
		Subject: subject.Subject{
			Exclusive: &subject.Exclusive{Device: subject.Device{Driver: "gpu.example.com", Class: "gpu"}},
			Shared:    &subject.Shared{Share: subject.Device{Driver: "nic.example.com", Class: "nic"}},
			Pods: map[string]driverfile.Pods{
				"gpu.example.com": {
					NodeSelector: map[string]string{"pool": "gpus"}, Tolerations: []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}},
					RuntimeClassName: "gpu", ImagePullSecrets: []string{"registry"}, Image: "registry.example.com/workload:1",
					Labels:          map[string]string{"team": "gpu", "draconform.dev/run": "other"},
					Resources:       &driverfile.Resources{Requests: amounts("1", "1Gi")},
					SecurityContext: &corev1.SecurityContext{RunAsUser: ptr.To[int64](7)},
				},
				"nic.example.com": {NodeSelector: map[string]string{"pool": "nics"}},
			},
		},
	}
}

func claimFor(classes ...string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim"}}
	for _, class := range classes {
		claim.Spec.Devices.Requests = append(claim.Spec.Devices.Requests, resourceapi.DeviceRequest{Name: class, Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: class}})
	}
	return claim
}

func TestPodHasSettingsOfTheDriverThatItsClaimRequests(t *testing.T) {
	g := NewWithT(t)
	pod, err := Create(t.Context(), guest(), "pod", Options{Node: "a"}, claimFor("gpu"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pod.Spec.NodeSelector).To(Equal(map[string]string{"kubernetes.io/os": "linux", "pool": "gpus"}), "and none of the other driver")
	g.Expect(pod.Spec.Tolerations).To(ConsistOf(corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpExists}))
	g.Expect(pod.Spec.RuntimeClassName).To(HaveValue(Equal("gpu")))
	g.Expect(pod.Spec.ImagePullSecrets).To(ConsistOf(corev1.LocalObjectReference{Name: "registry"}))
	g.Expect(pod.Labels).To(And(HaveKeyWithValue("team", "gpu"), HaveKeyWithValue("draconform.dev/run", "7")), "a driver file does not replace labels of the run")
	container := pod.Spec.Containers[0]
	g.Expect(container.Image).To(Equal("registry.example.com/workload:1"))
	g.Expect(container.Resources.Requests).To(Equal(corev1.ResourceList(amounts("1", "1Gi"))))
	g.Expect(container.Resources.Limits).To(BeEmpty())
	g.Expect(container.Resources.Claims).To(HaveLen(1))
	g.Expect(container.SecurityContext).To(Equal(&corev1.SecurityContext{RunAsUser: ptr.To[int64](7)}))
	term := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0]
	g.Expect(term.MatchExpressions).To(BeEmpty(), "the architectures of an image of the driver file are not known")
	g.Expect(term.MatchFields[0].Values).To(ConsistOf("a"))
}

func TestPodOfAGuestHasDefaults(t *testing.T) {
	g := NewWithT(t)
	pod, err := Create(t.Context(), guest(), "pod", Options{}, claimFor("nic"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pod.Spec.NodeSelector).To(Equal(map[string]string{"kubernetes.io/os": "linux", "pool": "nics"}))
	for _, amount := range []corev1.ResourceList{pod.Spec.Containers[0].Resources.Requests, pod.Spec.Containers[0].Resources.Limits} {
		g.Expect(amount).To(And(HaveKey(corev1.ResourceCPU), HaveKey(corev1.ResourceMemory)), "quota demands both")
	}
	term := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0]
	g.Expect(term.MatchExpressions).To(ConsistOf(corev1.NodeSelectorRequirement{Key: "kubernetes.io/arch", Operator: corev1.NodeSelectorOpIn, Values: []string{"arm64"}}))
	g.Expect(pod.Annotations).To(HaveKeyWithValue("cluster-autoscaler.kubernetes.io/safe-to-evict", "false"))

	// https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
	g.Expect(pod.Spec.Containers[0].SecurityContext).To(HaveValue(gstruct.MatchFields(gstruct.IgnoreExtras, gstruct.Fields{
		"AllowPrivilegeEscalation": HaveValue(BeFalse()), "RunAsNonRoot": HaveValue(BeTrue()), "RunAsUser": HaveValue(BeNumerically(">", 0)),
		"Capabilities": HaveValue(Equal(corev1.Capabilities{Drop: []corev1.Capability{"ALL"}})), "Privileged": BeNil(),
		"SeccompProfile": HaveValue(Equal(corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault})),
	})))
	g.Expect(pod.Spec).To(gstruct.MatchFields(gstruct.IgnoreExtras, gstruct.Fields{"HostNetwork": BeFalse(), "HostPID": BeFalse(), "HostIPC": BeFalse(), "Volumes": BeEmpty(), "PriorityClassName": BeEmpty()}))
}

func TestPodWithoutKnownClaimsRunsWhereTheSpecsDevicesAre(t *testing.T) {
	g := NewWithT(t)
	e := guest()
	e.Subject = e.Subject.Only([]subject.Kind{subject.KindExclusive})
	for name, claims := range map[string][]*resourceapi.ResourceClaim{"none": nil, "named": {{ObjectMeta: metav1.ObjectMeta{Name: "never-created"}}}} {
		pod, err := Create(t.Context(), e, name, Options{}, claims...)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(pod.Spec.NodeSelector).To(HaveKeyWithValue("pool", "gpus"), name)
	}
}

func TestPodThatTwoDriversPlaceDifferently(t *testing.T) {
	_, err := Create(t.Context(), guest(), "pod", Options{}, claimFor("gpu", "nic"))
	NewWithT(t).Expect(err).To(MatchError("create pod pod: pods.nodeSelector of driver nic.example.com has pool=nics, another driver of the same pod has pool=gpus"))
}

// Other nodes may be restarted at the same time.
func TestPodRunsOnTheOnlyNodeOfTheSpec(t *testing.T) {
	g := NewWithT(t)
	e := guest()
	e.Node = "a"
	nodeOf := func(options Options) []corev1.NodeSelectorRequirement {
		pod, err := Create(t.Context(), e, "pod-"+options.Node, options, claimFor("gpu"))
		g.Expect(err).NotTo(HaveOccurred())
		if pod.Spec.Affinity.NodeAffinity == nil {
			return nil
		}
		return pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields
	}
	on := func(node string) []corev1.NodeSelectorRequirement {
		return []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}
	}
	g.Expect(nodeOf(Options{})).To(Equal(on("a")))
	g.Expect(nodeOf(Options{Node: "b"})).To(Equal(on("b")), "a spec that names a node has its reasons")
	e.PlacePod = func(*corev1.Pod) {}
	e.Client = fake.NewClientset()
	g.Expect(nodeOf(Options{})).To(BeEmpty(), "simulated nodes are not restarted")
}

func TestPodOnSimulatedNodesHasNoSettings(t *testing.T) {
	g := NewWithT(t)
	e := guest()
	e.PlacePod = func(pod *corev1.Pod) { pod.Spec.NodeSelector = map[string]string{"simulated": "yes"} }
	pod, err := Create(t.Context(), e, "pod", Options{}, claimFor("nic"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pod.Spec.NodeSelector).To(Equal(map[string]string{"simulated": "yes"}))
	g.Expect(pod.Spec.Affinity).To(Equal(&corev1.Affinity{}), "simulated nodes have no architecture")
}

func TestPodOfARunWithFakesIsUnchanged(t *testing.T) {
	g := NewWithT(t)
	e := guest()
	e.Guest = nil
	pod, err := Create(t.Context(), e, "pod", Options{}, claimFor("gpu"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pod.Spec.NodeSelector).To(BeEmpty())
	g.Expect(pod.Annotations).To(HaveLen(1), "its containers")
	g.Expect(pod.Spec.Containers[0].Resources.Requests).To(BeEmpty())
	g.Expect(pod.Spec.Containers[0].Image).To(Equal("workload:1"))
}
