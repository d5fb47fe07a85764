// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes_test

import (
	"testing"

	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/specs/attributes"
)

// wrongClusters are clusters with faults, and the specs that must detect them.
var wrongClusters = wrong.Join(wrongLists, wrongDerived, wrongServers)

func TestMain(m *testing.M) { wrong.Main(m, wrongClusters, attributes.Specs) }

func TestWrongClustersFail(t *testing.T) { wrong.Test(t, wrongClusters) }

func TestEverySpecDetectsAWrongCluster(t *testing.T) {
	wrong.TestCoverage(t, wrongClusters, attributes.Specs)
}
