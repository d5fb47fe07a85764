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
	"github.com/draconform/draconform/e2e/suite"
)

func TestSpecsAreDescribed(t *testing.T) {
	NewWithT(t).Expect(suite.Validate(specs.All())).To(Succeed())
}

// withoutSpecs are the files with code that several specs share. The files that
// list the specs of a profile contain no specs either.
var withoutSpecs = []string{
	"all.go", "kinds.go", "alternatives.go", "configuration.go", "stage.go", "shared_device.go", "stage_lists.go", "api_objects.go", "sharing_affinity.go",
	"partitions.go", "placements.go", "tried_slices.go", "slice_limits.go", "topologies.go", "contract.go",
}

// A spec that is not in All is never run.
func TestEverySpecIsInAllAndInAFileOfItsOwn(t *testing.T) {
	g := NewWithT(t)
	var written, variables []string
	for _, file := range sources(t) {
		found := specsIn(t, file)
		if base := filepath.Base(file); strings.HasPrefix(base, "profile_") || slices.Contains(withoutSpecs, base) {
			g.Expect(found).To(BeEmpty(), "%s has no spec", base)
			continue
		}
		g.Expect(found).To(HaveLen(1), "%s should have one spec", file)
		name := strings.TrimSuffix(filepath.Base(file), ".go")
		for variable, id := range found {
			g.Expect(id).To(Equal(strings.ReplaceAll(name, "_", "-")), "the id of the spec in %s", file)
			written, variables = append(written, id), append(variables, variable)
		}
	}
	var ids []string
	for _, s := range specs.All() {
		ids = append(ids, withoutKind(s))
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	g.Expect(ids).To(ConsistOf(written), "All should return all of %v", variables)
}

// withoutKind returns the ID of a spec without the kind of its device. Specs of
// [specs.All] that differ only in the kind have the same body.
func withoutKind(s suite.Spec) string {
	if s.Profile != "driver" || len(s.Kinds) == 0 {
		return s.ID
	}
	return strings.TrimPrefix(s.ID, string(s.Kinds[0])+"-")
}

// For each spec, there must be a wrong cluster that it detects.
func TestEverySpecFindsAMistake(t *testing.T) {
	g := NewWithT(t)
	proved := map[string]bool{}
	for _, m := range wrong {
		for _, s := range specs.All() {
			if s.ID == m.spec {
				proved[withoutKind(s)] = true
			}
		}
	}
	for _, s := range specs.All() {
		g.Expect(proved).To(HaveKey(withoutKind(s)), "the table of wrong clusters should have one that this spec finds")
	}
}

func sources(t *testing.T) []string {
	t.Helper()
	all, err := os.ReadDir(".")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var files []string
	for _, e := range all {
		if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
			files = append(files, e.Name())
		}
	}
	return files
}

// specsIn returns the variables of type suite.Spec in a file, with their IDs.
func specsIn(t *testing.T, path string) map[string]string {
	t.Helper()
	g := NewWithT(t)
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	g.Expect(err).NotTo(HaveOccurred())
	found := map[string]string{}
	for _, declaration := range file.Decls {
		variables, ok := declaration.(*ast.GenDecl)
		if !ok || variables.Tok != token.VAR {
			continue
		}
		for _, s := range variables.Specs {
			value := s.(*ast.ValueSpec)
			for i, name := range value.Names {
				var literal *ast.CompositeLit
				if i < len(value.Values) {
					literal, _ = value.Values[i].(*ast.CompositeLit)
				}
				if id, ok := idForKinds(value, i); ok {
					found[name.Name] = id
				} else if literal != nil && isSpec(literal.Type) {
					found[name.Name] = idOf(g, literal)
				} else if isSpec(value.Type) {
					found[name.Name] = "an id that only running the program shows"
				}
			}
		}
	}
	return found
}

// idForKinds returns the first argument of forEachKind if a variable is
// initialized with it.
func idForKinds(value *ast.ValueSpec, i int) (string, bool) {
	if i >= len(value.Values) {
		return "", false
	}
	call, ok := value.Values[i].(*ast.CallExpr)
	if !ok {
		return "", false
	}
	if function, ok := call.Fun.(*ast.Ident); !ok || function.Name != "forEachKind" {
		return "", false
	}
	id, err := strconv.Unquote(call.Args[0].(*ast.BasicLit).Value)
	return id, err == nil
}

func isSpec(e ast.Expr) bool {
	selector, ok := e.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "Spec"
}

func idOf(g *WithT, literal *ast.CompositeLit) string {
	for _, e := range literal.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok || pair.Key.(*ast.Ident).Name != "ID" {
			continue
		}
		id, err := strconv.Unquote(pair.Value.(*ast.BasicLit).Value)
		g.Expect(err).NotTo(HaveOccurred())
		return id
	}
	return ""
}
