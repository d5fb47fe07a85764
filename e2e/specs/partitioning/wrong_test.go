// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning_test

import (
	"testing"

	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/specs/partitioning"
)

// wrongClusters are clusters with faults, and the specs that must detect them.
var wrongClusters = wrong.Join(wrongPartitions, wrongCounters, wrongPools, wrongGroups)

func TestMain(m *testing.M) { wrong.Main(m, wrongClusters, partitioning.Specs) }

func TestWrongClustersFail(t *testing.T) { wrong.Test(t, wrongClusters) }

func TestEverySpecDetectsAWrongCluster(t *testing.T) {
	wrong.TestCoverage(t, wrongClusters, partitioning.Specs)
}
