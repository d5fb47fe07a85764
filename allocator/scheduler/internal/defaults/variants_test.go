// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_variants

package defaults_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"

	"github.com/draconform/draconform/internal/variant"
)

func TestRightSchedulersRetrySoonerOrLater(t *testing.T) {
	for _, of := range []struct {
		variant      *bool
		initial, max int64
	}{{&variant.RetriesSoon, 1, 1}, {&variant.RetriesLate, 10, 30}} {
		g := NewWithT(t)
		*of.variant = true
		config, err := latest.Default()
		*of.variant = false
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(config.PodInitialBackoffSeconds).To(Equal(of.initial))
		g.Expect(config.PodMaxBackoffSeconds).To(Equal(of.max))
	}
}
