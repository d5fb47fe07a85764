// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"testing"

	"github.com/draconform/draconform/internal/switches/declared"
)

// Faults of API servers are admission policies, which need no declaration.
func TestFaultsAreDeclared(t *testing.T) {
	p := declared.Package{Name: "fault", Tag: Tag, Table: "hack/mutants/faults.yaml"}
	var table struct {
		Faults []struct{ Name, Broken string }
	}
	declared.ReadTable(t, p, &table)
	var all []declared.Switch
	for _, f := range table.Faults {
		all = append(all, declared.Switch{Name: f.Name, Component: f.Broken})
	}
	declared.Check(t, p, all)
}
