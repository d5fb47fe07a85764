// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
)

// CreateClassFor creates a DeviceClass with parameters that let the driver under test
// allocate claims for some nodes only. It returns the name of the class. The spec must have
// [env.NeedsClassicControllers].
func (d *Driven) CreateClassFor(ctx context.Context, name string, nodes ...string) string {
	ginkgo.GinkgoHelper()
	full := d.ClassName(name)
	ginkgo.By(fmt.Sprintf("creating device class %s with parameters for nodes %v", full, nodes))
	spec := object{"config": d.configFor(nodes)}
	gomega.Expect(d.create(ctx, classes, "DeviceClass", object{"name": full, "labels": d.env.Labels}, spec)).To(gomega.Succeed())
	d.created = append(d.created, full)
	return full
}

// CreateClaimFor creates a claim with such parameters, which the driver under test allocates.
func (d *Driven) CreateClaimFor(ctx context.Context, name string, nodes ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim %s with parameters for nodes %v", name, nodes))
	spec := ClaimSpec(d.name, d.Class)
	spec["devices"].(object)["config"] = d.configFor(nodes)
	gomega.Expect(d.TryCreateClaim(ctx, name, spec)).To(gomega.Succeed())
}

func (d *Driven) configFor(nodes []string) []object {
	return []object{{"opaque": object{"driver": d.name, "parameters": d.env.ClassicControllers.Opaque(nodes...)}}}
}
