// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
)

// module is the source code of a Kubernetes release.
type module struct {
	dir string
}

var (
	modulesLock sync.Mutex
	modules     = map[clusters.Release]module{}
)

// moduleOf downloads the release's exact version of k8s.io/kubernetes from the
// Go module proxy or cache.
func moduleOf(t *testing.T, r clusters.Release) module {
	t.Helper()
	g := NewWithT(t)
	modulesLock.Lock()
	defer modulesLock.Unlock()
	if m, ok := modules[r]; ok {
		return m
	}
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "k8s.io/kubernetes@v"+r.Version)
	cmd.Dir = t.TempDir() // outside of this module, which has its own requirements
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.Output()
	g.Expect(err).NotTo(HaveOccurred(), "%s: %s", cmd, out)
	var downloaded struct{ Dir string }
	g.Expect(json.Unmarshal(out, &downloaded)).To(Succeed())
	m := module{dir: downloaded.Dir}
	modules[r] = m
	return m
}

// read returns the content of a file.
func (m module) read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(m.dir, path))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return string(content)
}

// parse returns the syntax tree of a file.
func (m module) parse(t *testing.T, path string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(m.dir, path), nil, parser.SkipObjectResolution)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return f
}

// values returns the initial values of a file's top-level constants or variables by name.
func values(f *ast.File, kind token.Token) map[string]ast.Expr {
	found := map[string]ast.Expr{}
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != kind {
			continue
		}
		for _, spec := range gen.Specs {
			vs, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for i, value := range vs.Values {
				found[vs.Names[i].Name] = value
			}
		}
	}
	return found
}

// lastName returns the identifier of a name, which may be qualified and converted to another type.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.CallExpr:
		return lastName(e.Args[0])
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// literal returns the value of a string literal, which may be converted to another type.
func literal(t *testing.T, e ast.Expr) string {
	t.Helper()
	g := NewWithT(t)
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 {
		e = call.Args[0]
	}
	lit, ok := e.(*ast.BasicLit)
	g.Expect(ok).To(BeTrue(), "%T is not a literal", e)
	s, err := strconv.Unquote(lit.Value)
	g.Expect(err).NotTo(HaveOccurred())
	return s
}

// each calls fn for every key and value of a composite literal.
func each(t *testing.T, e ast.Expr, fn func(key, value ast.Expr)) {
	t.Helper()
	g := NewWithT(t)
	lit, ok := e.(*ast.CompositeLit)
	g.Expect(ok).To(BeTrue(), "%T is not a composite literal", e)
	for _, element := range lit.Elts {
		kv, ok := element.(*ast.KeyValueExpr)
		g.Expect(ok).To(BeTrue(), "%T is not a key and a value", element)
		fn(kv.Key, kv.Value)
	}
}

// forEachRelease runs the test for every supported and legacy release.
func forEachRelease(t *testing.T, test func(t *testing.T, r clusters.Release)) {
	t.Helper()
	for _, r := range clusters.All() {
		t.Run(r.Version, func(t *testing.T) { test(t, r) })
	}
}
