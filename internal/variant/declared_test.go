// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package variant

import (
	"testing"

	"github.com/draconform/draconform/internal/switches/declared"
)

func TestVariantsAreDeclared(t *testing.T) {
	p := declared.Package{Name: "variant", Tag: Tag, Table: "hack/right/right.yaml"}
	var table struct{ Variants []declared.Switch }
	declared.ReadTable(t, p, &table)
	declared.Check(t, p, table.Variants)
}
