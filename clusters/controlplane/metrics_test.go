// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestReadMetrics(t *testing.T) {
	g := NewWithT(t)
	p := newProvider(t, Options{})
	_, err := p.Create(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	for component, program := range map[string]string{"scheduler": kubeScheduler, "controller-manager": kubeControllerManager} {
		g.Eventually(func() (string, error) {
			content, err := p.ReadMetrics(t.Context(), component)
			return string(content), err
		}).Should(And(HavePrefix("of "+program+" for "), ContainSubstring(mastersGroup)), "the administrator reads them")
	}
	_, err = p.ReadMetrics(t.Context(), "kubelet")
	g.Expect(err).To(MatchError("read the metrics of kubelet: its port is not known"))
}
