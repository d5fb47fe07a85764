// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity_test

import (
	"testing"

	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/specs/capacity"
)

// wrongClusters are clusters with faults, and the specs that must detect them.
var wrongClusters = wrong.Join(wrongShares, wrongPolicies)

func TestMain(m *testing.M) { wrong.Main(m, wrongClusters, capacity.Specs) }

func TestWrongClustersFail(t *testing.T) { wrong.Test(t, wrongClusters) }

func TestEverySpecDetectsAWrongCluster(t *testing.T) {
	wrong.TestCoverage(t, wrongClusters, capacity.Specs)
}
