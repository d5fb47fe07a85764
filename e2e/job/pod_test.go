// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// The evaluator is the one of the API server.
func TestPodCompliesWithRestricted(t *testing.T) {
	g := NewWithT(t)
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	g.Expect(err).NotTo(HaveOccurred())
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for _, o := range []Options{{RunID: testID}, everything()} {
		template := jobOf(t, o).Spec.Template
		for _, result := range evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec) {
			g.Expect(result.Allowed).To(BeTrue(), "%s: %s", result.ForbiddenReason, result.ForbiddenDetail)
		}
		template.Spec.Containers[0].SecurityContext = nil
		g.Expect(evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec)).To(
			ContainElement(HaveField("Allowed", false)), "the evaluator finds violations")
	}
}

// Namespaces with quotas and limit ranges require both of every container.
func TestContainersHaveRequestsAndLimits(t *testing.T) {
	g := NewWithT(t)
	pod := jobOf(t, Options{RunID: testID}).Spec.Template.Spec
	g.Expect(pod.Containers).To(HaveLen(2))
	for _, c := range pod.Containers {
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
			request, limit := c.Resources.Requests[name], c.Resources.Limits[name]
			g.Expect(request.Sign()).To(Equal(1), "%s of container %s", name, c.Name)
			g.Expect(limit.Cmp(request)).To(BeNumerically(">=", 0), "%s of container %s", name, c.Name)
		}
	}
	cpu, memory := resource.MustParse("260m"), resource.MustParse("288Mi")
	cpuSum, memorySum := pod.Containers[0].Resources.Requests.Cpu().DeepCopy(), pod.Containers[0].Resources.Requests.Memory().DeepCopy()
	cpuSum.Add(*pod.Containers[1].Resources.Requests.Cpu())
	memorySum.Add(*pod.Containers[1].Resources.Requests.Memory())
	g.Expect([]int{cpuSum.Cmp(cpu), memorySum.Cmp(memory)}).To(Equal([]int{0, 0}), "as the hint for unschedulable pods states")
}

// The container that serves the results has no access to the cluster.
func TestOnlyTheRunHasAToken(t *testing.T) {
	g := NewWithT(t)
	o := Options{RunID: testID}
	g.Expect(*only[*corev1.ServiceAccount](t, o).AutomountServiceAccountToken).To(BeFalse())
	pod := jobOf(t, o).Spec.Template.Spec
	g.Expect(*pod.AutomountServiceAccountToken).To(BeFalse())
	token := ""
	for _, v := range pod.Volumes {
		if v.Projected != nil && v.Projected.Sources[0].ServiceAccountToken != nil {
			token = v.Name
		}
	}
	mounts := map[string]string{}
	for _, c := range pod.Containers {
		for _, m := range c.VolumeMounts {
			if m.Name == token {
				mounts[c.Name] = m.MountPath
			}
		}
	}
	g.Expect(mounts).To(Equal(map[string]string{"run": "/var/run/secrets/kubernetes.io/serviceaccount"}))
}
