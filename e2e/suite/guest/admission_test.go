// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
)

// The messages are those of Kubernetes 1.37.
func TestAdmissionErrorsSayWhatToDo(t *testing.T) {
	for name, test := range map[string]struct{ resource, message, want string }{
		"quota":             {"pods", "exceeded quota: few, requested: pods=1, used: pods=5, limited: pods=5", "raise the quota, or use a namespace without one"},
		"quota of devices":  {"resourceclaims", "exceeded quota: devices, requested: gpu.deviceclass.resource.k8s.io/devices=1", "raise the quota, or use a namespace without one"},
		"quota for memory":  {"pods", "failed quota: storage: must specify limits.ephemeral-storage for: workload", "set what the quota demands under pods.resources of the driver file"},
		"LimitRange":        {"pods", "minimum cpu usage per Container is 100m, but request is 10m", "set amounts within the LimitRange under pods.resources of the driver file"},
		"pod security":      {"pods", `violates PodSecurity "restricted:latest": privileged (container "workload" must not set securityContext.privileged=true)`, "change pods.securityContext of the driver file, or use a namespace whose pod security level permits it"},
		"OpenShift":         {"pods", `unable to validate against any security context constraint: provider restricted-v2: .containers[0].runAsUser: Invalid value: 65532: must be in the ranges: [1000680000, 1000689999]`, "set what a security context constraint of the namespace permits under pods.securityContext of the driver file"},
		"runtime class":     {"pods", `pod rejected: RuntimeClass "gpu" not found`, "correct pods.runtimeClassName of the driver file"},
		"missing rights":    {"pods", `User "runner" cannot create resource "pods" in API group "" in the namespace "ours"`, `grant the rights that "draconform rbac" prints`},
		"an unknown plugin": {"pods", "admission webhook \"policy.example.com\" denied the request", "an admission plugin or a webhook of the cluster forbids it"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := fake.NewClientset()
			client.PrependReactor("create", test.resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
				g.Expect(action.(clienttesting.CreateActionImpl).CreateOptions.DryRun).To(ConsistOf("All"), "nothing is stored")
				return true, nil, apierrors.NewForbidden(corev1.Resource(test.resource), "try", errors.New(test.message))
			})
			of := subject.Fakes{NIC: "nic.example.com"}.Subject()
			err := New(Config{Client: client, Namespace: "ours", Subject: of, Workload: "workload", Timeouts: env.DefaultTimeouts()}).CheckAdmission(t.Context())
			g.Expect(err).To(MatchError(And(
				ContainSubstring("for shared devices of driver nic.example.com cannot be created in namespace ours"), ContainSubstring(test.message), HaveSuffix("; "+test.want),
			)))
		})
	}
}

func TestAdmittedObjectsAreNotStored(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset()
	client.PrependReactor("create", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return true, action.(clienttesting.CreateAction).GetObject(), nil // The clientset stores objects of dry runs.
	})
	of := subject.Fakes{MIG: "mig.example.com", TPU: "tpu.example.com", NIC: "nic.example.com"}.Subject()
	g.Expect(New(Config{Client: client, Namespace: "ours", Subject: of, Timeouts: env.DefaultTimeouts()}).CheckAdmission(t.Context())).To(Succeed())
	created := 0
	for _, action := range client.Actions() {
		g.Expect(action.(clienttesting.CreateActionImpl).CreateOptions.DryRun).To(ConsistOf("All"))
		created++
	}
	g.Expect(created).To(Equal(2*len(subject.Kinds())), "a claim and a pod for each kind")
}

// A lost API server is not a rejection, so there is nothing to correct in a file.
func TestAdmissionWithoutAnAnswer(t *testing.T) {
	for name, lost := range map[string]error{
		"a lost API server": errors.New("connection refused"),
		"a busy API server": apierrors.NewTooManyRequests("later", 1),
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := fake.NewClientset()
			client.PrependReactor("create", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, lost })
			of := subject.Fakes{NIC: "nic.example.com"}.Subject()
			rejections, err := New(Config{Client: client, Namespace: "ours", Subject: of, Timeouts: env.DefaultTimeouts()}).Admission(t.Context())
			g.Expect(rejections).To(BeEmpty())
			g.Expect(err).To(MatchError("create a pod as a dry run in namespace ours: create pod try: " + lost.Error()))
		})
	}
}
