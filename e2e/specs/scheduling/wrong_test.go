// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling_test

import (
	"testing"

	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/specs/scheduling"
)

// wrongClusters are clusters with faults, and the specs that must detect them.
var wrongClusters = wrong.Join(wrongSlices, wrongAttributes, wrongClaims, wrongConsumers, wrongWaits, wrongBindings, wrongMetrics, wrongSelections, wrongChanges, wrongCombinations)

func TestMain(m *testing.M) { wrong.Main(m, wrongClusters, scheduling.Specs) }

func TestWrongClustersFail(t *testing.T) { wrong.Test(t, wrongClusters) }

func TestEverySpecDetectsAWrongCluster(t *testing.T) {
	wrong.TestCoverage(t, wrongClusters, scheduling.Specs)
}
