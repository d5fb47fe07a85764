// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/onsi/ginkgo/v2"

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
