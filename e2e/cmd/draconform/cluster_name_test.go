// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
)

// A cluster whose context is in another file than that of kubectl can be changed and deleted, too.
func TestClusterCommandsTakeKubeconfig(t *testing.T) {
	withoutContext := []string{"list", "load", "logs", "plan"}
	for _, cmd := range newCluster().Commands() {
		NewWithT(t).Expect(cmd.Flags().Lookup(kubeconfigFlag) != nil).To(Equal(!slices.Contains(withoutContext, cmd.Name())), cmd.Name())
	}
}
