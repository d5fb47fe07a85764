// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions_test

import (
	"testing"

	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/specs/bindingconditions"
)

// wrongClusters are clusters with faults, and the specs that must detect them.
var wrongClusters = wrong.Join(wrongWaits, wrongFailures, wrongAllocations, wrongServers)

func TestMain(m *testing.M) { wrong.Main(m, wrongClusters, bindingconditions.Specs) }

func TestWrongClustersFail(t *testing.T) { wrong.Test(t, wrongClusters) }

func TestEverySpecDetectsAWrongCluster(t *testing.T) {
	wrong.TestCoverage(t, wrongClusters, bindingconditions.Specs)
}
