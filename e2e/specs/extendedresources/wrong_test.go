// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources_test

import (
	"testing"

	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/specs/extendedresources"
)

// wrongClusters are clusters with faults, and the specs that must detect them.
var wrongClusters = wrong.Join(wrongClasses, wrongProviders, wrongClaims, wrongRequests, wrongServers)

func TestMain(m *testing.M) { wrong.Main(m, wrongClusters, extendedresources.Specs) }

func TestWrongClustersFail(t *testing.T) { wrong.Test(t, wrongClusters) }

func TestEverySpecDetectsAWrongCluster(t *testing.T) {
	wrong.TestCoverage(t, wrongClusters, extendedresources.Specs)
}
