// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin_test

import (
	"testing"

	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/specs/nodeplugin"
)

// wrongClusters are clusters with faults, and the specs that must detect them.
var wrongClusters = wrong.Join(wrongRegistrations, wrongAnswers, wrongCalls, wrongRejections, wrongFiles, wrongPodResources, wrongOrders, wrongAdmins)

func TestMain(m *testing.M) {
	wrong.Main(m, wrong.Join(wrongClusters, withoutFiles, withoutCDI, withoutOperations), nodeplugin.Specs)
}

func TestWrongClustersFail(t *testing.T) { wrong.Test(t, wrongClusters) }

func TestDriversWithoutFiles(t *testing.T) { wrong.Test(t, withoutFiles) }

func TestDriversWithoutCDI(t *testing.T) { wrong.Test(t, withoutCDI) }

func TestDriversWithoutNodeOperations(t *testing.T) { wrong.Test(t, withoutOperations) }

func TestEverySpecDetectsAWrongCluster(t *testing.T) {
	wrong.TestCoverage(t, wrongClusters, nodeplugin.Specs)
}
