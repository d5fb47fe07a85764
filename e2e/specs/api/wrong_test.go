// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"testing"

	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/specs/api"
)

// wrongClusters are clusters with faults, and the specs that must detect them.
var wrongClusters = wrong.Join(wrongFields, wrongStatuses, wrongWriters, wrongTemplates)

func TestMain(m *testing.M) { wrong.Main(m, wrongClusters, api.Specs) }

func TestWrongClustersFail(t *testing.T) { wrong.Test(t, wrongClusters) }

func TestEverySpecDetectsAWrongCluster(t *testing.T) {
	wrong.TestCoverage(t, wrongClusters, api.Specs)
}
