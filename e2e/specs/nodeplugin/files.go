// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// filesAreVisible reports whether the CDI files of a driver can be found: the
// claim of a running pod has CDI devices, and a file in one of the standard
// directories defines one of them. Drivers need not use CDI, and container
// runtimes can be configured to read other directories.
func filesAreVisible(ctx context.Context, e *env.Env, p nodeagent.Plugin, running nodeagent.Claim) bool {
	ginkgo.GinkgoHelper()
	answers := nodeagent.WaitForPrepared(ctx, e, p, running)
	return nodeagent.GetCDIFiles(ctx, e, p).Define(answers.CDIDevices())
}

// expectCDIDevices handles answers without CDI devices for a claim: the driver
// lacks the capability, and a spec about CDI files has nothing to compare.
func (d deviceOnNode) expectCDIDevices(e *env.Env, claim nodeagent.Claim, answers nodeagent.Answers) {
	ginkgo.GinkgoHelper()
	if len(answers.CDIDevices()) == 0 {
		env.ExpectCapability(e, d.Driver, subject.CDI, fmt.Sprintf("%s returned no CDI devices for claim %s", d.plugin, claim.Name))
	}
}

// expectVisibleFiles ends a spec about CDI files that has nothing to compare: the
// driver returns no CDI devices for the claim of a running pod, or none of its
// files can be found.
func (d deviceOnNode) expectVisibleFiles(ctx context.Context, e *env.Env, running nodeagent.Claim) {
	ginkgo.GinkgoHelper()
	d.expectCDIDevices(e, running, nodeagent.WaitForPrepared(ctx, e, d.plugin, running))
	if !filesAreVisible(ctx, e, d.plugin, running) {
		e.NotApplicable(fmt.Sprintf("needs to see the CDI files of node %s: the container runtime found the CDI devices of the running pod of claim %s in other than the standard directories", d.plugin.Node, running.Name))
	}
}
