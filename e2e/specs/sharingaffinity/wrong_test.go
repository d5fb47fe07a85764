// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity_test

import (
	"testing"

	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/specs/sharingaffinity"
)

// wrongClusters are clusters with faults, and the specs that must detect them.
var wrongClusters = wrong.Join(wrongValues, wrongLocks, wrongDrivers)

func TestMain(m *testing.M) { wrong.Main(m, wrongClusters, sharingaffinity.Specs) }

func TestWrongClustersFail(t *testing.T) { wrong.Test(t, wrongClusters) }

func TestEverySpecDetectsAWrongCluster(t *testing.T) {
	wrong.TestCoverage(t, wrongClusters, sharingaffinity.Specs)
}
