// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess_test

import (
	"testing"

	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/specs/adminaccess"
)

// wrongClusters are clusters with faults, and the specs that must detect them.
var wrongClusters = wrong.Join(wrongServers, wrongAllocations, wrongHoldings)

func TestMain(m *testing.M) { wrong.Main(m, wrongClusters, adminaccess.Specs) }

func TestWrongClustersFail(t *testing.T) { wrong.Test(t, wrongClusters) }

func TestEverySpecDetectsAWrongCluster(t *testing.T) {
	wrong.TestCoverage(t, wrongClusters, adminaccess.Specs)
}
