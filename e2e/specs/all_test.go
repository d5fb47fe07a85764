// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package specs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/specs/adminaccess"
	"github.com/draconform/draconform/e2e/specs/api"
	"github.com/draconform/draconform/e2e/specs/attributes"
	"github.com/draconform/draconform/e2e/specs/bindingconditions"
	"github.com/draconform/draconform/e2e/specs/capacity"
	"github.com/draconform/draconform/e2e/specs/classic"
	"github.com/draconform/draconform/e2e/specs/devicetaints"
	"github.com/draconform/draconform/e2e/specs/driver"
	"github.com/draconform/draconform/e2e/specs/extendedresources"
	"github.com/draconform/draconform/e2e/specs/multihost"
	"github.com/draconform/draconform/e2e/specs/nodeallocatable"
	"github.com/draconform/draconform/e2e/specs/nodeplugin"
	"github.com/draconform/draconform/e2e/specs/partitioning"
	"github.com/draconform/draconform/e2e/specs/poolstatus"
	"github.com/draconform/draconform/e2e/specs/prioritizedlist"
	"github.com/draconform/draconform/e2e/specs/scheduling"
	"github.com/draconform/draconform/e2e/specs/sharingaffinity"
	"github.com/draconform/draconform/e2e/suite"
)

// folders are the specs in the folder of each profile.
var folders = map[string][]suite.Spec{
	"api":               api.Specs,
	"bindingconditions": bindingconditions.Specs,
	"capacity":          capacity.Specs,
	"devicetaints":      devicetaints.Specs,
	"driver":            driver.Specs,
	"adminaccess":       adminaccess.Specs,
	"extendedresources": extendedresources.Specs,
	"multihost":         multihost.Specs,
	"nodeplugin":        nodeplugin.Specs,
	"partitioning":      partitioning.Specs,
	"prioritizedlist":   prioritizedlist.Specs,
	"sharingaffinity":   sharingaffinity.Specs,
	"attributes":        attributes.Specs,
	"nodeallocatable":   nodeallocatable.Specs,
	"poolstatus":        poolstatus.Specs,
	"scheduling":        scheduling.Specs,
	"classic":           classic.Specs,
}

func TestSpecsAreValid(t *testing.T) {
	NewWithT(t).Expect(suite.Validate(specs.All())).To(Succeed())
}

// A spec that is not in All is never run.
func TestAllHasTheSpecsOfEveryFolder(t *testing.T) {
	g := NewWithT(t)
	entries, err := os.ReadDir(".")
	g.Expect(err).NotTo(HaveOccurred())
	var want []string
	for _, e := range entries {
		if !e.IsDir() || e.Name() == "internal" {
			continue
		}
		g.Expect(folders).To(HaveKey(e.Name()), "the specs of folder %s", e.Name())
		for _, s := range folders[e.Name()] {
			g.Expect(strings.ReplaceAll(s.Profile, "-", "")).To(Equal(e.Name()), "the profile of spec %s", s.ID)
			want = append(want, s.ID)
		}
	}
	var got []string
	for _, s := range specs.All() {
		got = append(got, s.ID)
	}
	g.Expect(got).To(ConsistOf(want))
}

// The file of a spec has the name of its ID. A search for the ID finds the
// file.
func TestSpecFilesAreNamedAfterIDs(t *testing.T) {
	for folder, all := range folders {
		t.Run(folder, func(t *testing.T) {
			g := NewWithT(t)
			var want, got []string
			for _, s := range all {
				want = append(want, s.ID)
			}
			for _, file := range sources(t, folder) {
				found := specsIn(t, file)
				if len(found) == 0 {
					continue // it has code that several specs share
				}
				g.Expect(found).To(HaveLen(1), "%s should have one spec", file)
				name := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".go"), "_", "-")
				if ids := found[0]; len(ids) == 1 {
					g.Expect(ids[0]).To(Equal(name), "the id of the spec in %s", file)
				} else {
					g.Expect(ids).To(HaveEach(HaveSuffix("-"+name)), "the ids of the spec in %s", file)
				}
				got = append(got, found[0]...)
			}
			g.Expect(got).To(ConsistOf(want), "the ids in the files should be those of Specs")
		})
	}
}

// sources returns the files of a folder without its tests.
func sources(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return slices.DeleteFunc(files, func(file string) bool { return strings.HasSuffix(file, "_test.go") })
}

// specsIn returns the IDs in the source of each variable of a file that
// contains a spec, or one spec for each kind of devices or of damage.
func specsIn(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var found [][]string
	for _, declaration := range file.Decls {
		variables, ok := declaration.(*ast.GenDecl)
		if !ok || variables.Tok != token.VAR {
			continue
		}
		for _, variable := range variables.Specs {
			for _, value := range variable.(*ast.ValueSpec).Values {
				if ids := idsOf(t, value); len(ids) > 0 {
					found = append(found, ids)
				}
			}
		}
	}
	return found
}

// idsOf returns the IDs in the value of a variable: the field ID of a spec, or
// the first argument of a function such as forEachKind.
func idsOf(t *testing.T, value ast.Expr) []string {
	t.Helper()
	switch value := value.(type) {
	case *ast.CompositeLit:
		if typ, ok := value.Type.(*ast.SelectorExpr); !ok || typ.Sel.Name != "Spec" {
			return nil
		}
		for _, e := range value.Elts {
			if field := e.(*ast.KeyValueExpr); field.Key.(*ast.Ident).Name == "ID" {
				return []string{literal(t, field.Value)}
			}
		}
	case *ast.CallExpr:
		if function, ok := value.Fun.(*ast.Ident); !ok || !strings.HasPrefix(function.Name, "forEach") {
			return nil
		}
		var ids []string
		for _, id := range value.Args[0].(*ast.CompositeLit).Elts {
			ids = append(ids, literal(t, id))
		}
		return ids
	}
	return nil
}

// literal returns the value of a string literal.
func literal(t *testing.T, e ast.Expr) string {
	t.Helper()
	basic, ok := e.(*ast.BasicLit)
	g := NewWithT(t)
	g.Expect(ok).To(BeTrue(), "the id of a spec should be a literal, so that a search finds it")
	text, err := strconv.Unquote(basic.Value)
	g.Expect(err).NotTo(HaveOccurred())
	return text
}
