// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// createGatedFromTemplate creates a pod with a scheduling gate, whose only claim is
// generated from a template, which need not exist.
func createGatedFromTemplate(ctx context.Context, e *env.Env, pod, template string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating pod " + pod + ", with a scheduling gate, and a claim from template " + template)
	_, err := pods.Create(ctx, e, pod, pods.Options{Change: func(spec *corev1.PodSpec) {
		addGate(spec)
		pods.UseTemplate(spec, template)
	}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}
