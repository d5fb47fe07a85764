// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist_test

import (
	"testing"

	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/specs/prioritizedlist"
)

// wrongClusters are clusters with faults, and the specs that must detect them.
var wrongClusters = wrong.Join(wrongAlternatives, wrongLists)

func TestMain(m *testing.M) { wrong.Main(m, wrongClusters, prioritizedlist.Specs) }

func TestWrongClustersFail(t *testing.T) { wrong.Test(t, wrongClusters) }

func TestEverySpecDetectsAWrongCluster(t *testing.T) {
	wrong.TestCoverage(t, wrongClusters, prioritizedlist.Specs)
}
