// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
)

// In returns the same nodes and the same driver with claims in another namespace of the spec.
// The claims are removed before the namespace is.
func (d *Driven) In(e *env.Env) *Driven {
	ginkgo.GinkgoHelper()
	other := &Driven{Cluster: &Cluster{Nodes: d.Nodes, Class: d.Class, Simulated: d.Simulated, env: e}, name: d.name, devices: d.devices}
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { gomega.Expect(other.cleanUp(ctx)).To(gomega.Succeed()) })
	return other
}
