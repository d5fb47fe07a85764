// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package specs_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/internal/wrong"
	adminaccess "github.com/draconform/draconform/e2e/specs/adminaccess/wrongclusters"
	api "github.com/draconform/draconform/e2e/specs/api/wrongclusters"
	attributes "github.com/draconform/draconform/e2e/specs/attributes/wrongclusters"
	bindingconditions "github.com/draconform/draconform/e2e/specs/bindingconditions/wrongclusters"
	capacity "github.com/draconform/draconform/e2e/specs/capacity/wrongclusters"
	devicetaints "github.com/draconform/draconform/e2e/specs/devicetaints/wrongclusters"
	driver "github.com/draconform/draconform/e2e/specs/driver/wrongclusters"
	extendedresources "github.com/draconform/draconform/e2e/specs/extendedresources/wrongclusters"
	multihost "github.com/draconform/draconform/e2e/specs/multihost/wrongclusters"
	nodeallocatable "github.com/draconform/draconform/e2e/specs/nodeallocatable/wrongclusters"
	nodeoperations "github.com/draconform/draconform/e2e/specs/nodeoperations/wrongclusters"
	nodeplugin "github.com/draconform/draconform/e2e/specs/nodeplugin/wrongclusters"
	partitioning "github.com/draconform/draconform/e2e/specs/partitioning/wrongclusters"
	poolstatus "github.com/draconform/draconform/e2e/specs/poolstatus/wrongclusters"
	prioritizedlist "github.com/draconform/draconform/e2e/specs/prioritizedlist/wrongclusters"
	scheduling "github.com/draconform/draconform/e2e/specs/scheduling/wrongclusters"
	sharingaffinity "github.com/draconform/draconform/e2e/specs/sharingaffinity/wrongclusters"
	workloadclaims "github.com/draconform/draconform/e2e/specs/workloadclaims/wrongclusters"
)

// wrongClusters are clusters with faults, and the specs that must detect them, by
// the folder of the profile. One program tests all of them, because it takes longer
// to link a program than to run most tests. Classic DRA has clusters of its own.
var wrongClusters = map[string]wrong.Table{
	"adminaccess":       adminaccess.All,
	"api":               api.All,
	"attributes":        attributes.All,
	"bindingconditions": bindingconditions.All,
	"capacity":          capacity.All,
	"devicetaints":      devicetaints.All,
	"driver":            driver.All,
	"extendedresources": extendedresources.All,
	"multihost":         multihost.All,
	"nodeallocatable":   nodeallocatable.All,
	"nodeoperations":    nodeoperations.All,
	"nodeplugin":        nodeplugin.All,
	"partitioning":      partitioning.All,
	"poolstatus":        poolstatus.All,
	"prioritizedlist":   prioritizedlist.All,
	"scheduling":        scheduling.All,
	"sharingaffinity":   sharingaffinity.All,
	"workloadclaims":    workloadclaims.All,
}

// lackingClusters are clusters that lack something that they may lack, in the same
// way.
var lackingClusters = map[string]wrong.Table{
	"api": api.Lacking, "driver": driver.Lacking, "nodeplugin": nodeplugin.Lacking, "multihost": multihost.Lacking,
	"prioritizedlist": prioritizedlist.Lacking, "scheduling": scheduling.Lacking,
}

// wrongCase returns the run of a spec in a wrong or a lacking cluster of a folder.
func wrongCase(folder, name string) (suiterun.Case, bool) {
	c, ok := wrong.Join(wrongClusters[folder], lackingClusters[folder])[name]
	return c.Case(folders[folder]), ok
}

// "-run TestSpecsFailInWrongClusters/driver" runs those of one folder.
func TestSpecsFailInWrongClusters(t *testing.T) { testClusters(t, wrongClusters) }

func TestSpecsFindOutWhatClustersLack(t *testing.T) { testClusters(t, lackingClusters) }

func testClusters(t *testing.T, tables map[string]wrong.Table) {
	t.Parallel()
	for folder, table := range tables {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			wrong.Test(t, folder+"/", table)
		})
	}
}

func TestEverySpecDetectsAWrongCluster(t *testing.T) {
	for folder, specs := range folders {
		if folder == "classic" {
			continue
		}
		t.Run(folder, func(t *testing.T) {
			NewWithT(t).Expect(wrongClusters).To(HaveKey(folder))
			wrong.TestCoverage(t, wrongClusters[folder], specs)
		})
	}
}
