// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver_test

import (
	"testing"

	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/specs/driver"
)

// wrongClusters are clusters with faults, and the specs that must detect them.
var wrongClusters = wrong.Join(wrongDrivers, wrongRestarts, wrongContract, wrongCalls, wrongWholeDevices, wrongAnyDriver, wrongMetadata, wrongHealth, wrongStatus, wrongDisks, wrongTwoDrivers, wrongConfigured, wrongShares)

func TestMain(m *testing.M) {
	wrong.Main(m, wrong.Join(wrongClusters, withoutCapabilities, withoutVisibility), driver.Specs)
}

func TestWrongClustersFail(t *testing.T) { wrong.Test(t, wrongClusters) }

func TestCapabilitiesThatAreNotFound(t *testing.T) { wrong.Test(t, withoutCapabilities) }

func TestDevicesThatContainersDoNotSee(t *testing.T) { wrong.Test(t, withoutVisibility) }

func TestEverySpecDetectsAWrongCluster(t *testing.T) {
	wrong.TestCoverage(t, wrongClusters, driver.Specs)
}
