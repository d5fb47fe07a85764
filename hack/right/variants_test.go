// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"unicode"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/hack/internal/command"
)

// declared returns the names of the variants in a file of the package variant.
func declared(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "../../internal/variant/"+file, nil, parser.SkipObjectResolution)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var names []string
	for _, d := range parsed.Decls {
		general, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range general.Specs {
			if v, ok := s.(*ast.ValueSpec); ok && v.Names[0].IsExported() {
				names = append(names, dashed(v.Names[0].Name))
			}
		}
	}
	return names
}

// dashed converts an identifier to the form of names of variants.
func dashed(identifier string) string {
	var b strings.Builder
	for i, r := range identifier {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Each variant in the catalogue exists in the code, with and without the build
// tag, and vice versa.
func TestVariantsExistInTheCode(t *testing.T) {
	g := NewWithT(t)
	all, err := load(data)
	g.Expect(err).NotTo(HaveOccurred())
	var names []string
	for _, v := range all.Variants {
		names = append(names, v.Name)
	}
	g.Expect(declared(t, "on.go")).To(ConsistOf(names))
	g.Expect(declared(t, "off.go")).To(ConsistOf(names))
}

// No spec may need more nodes than the cluster has.
func TestClusterSufficesForAllSpecs(t *testing.T) {
	g := NewWithT(t)
	all, err := load(data)
	g.Expect(err).NotTo(HaveOccurred())
	for _, s := range specs.All() {
		g.Expect(s.MinNodes).To(BeNumerically("<=", all.Workers), s.ID)
	}
}

func TestLoadErrors(t *testing.T) {
	const good = "{name: a, component: driver, does: b, allowed: c, touches: [d]}"
	for name, test := range map[string]struct{ variants, want string }{
		"an unknown field":     {"{name: a, because: b}", `unknown field "because"`},
		"no reason":            {"{name: a, component: driver, does: b, touches: [d]}", `variant "a": it needs name, does, allowed and touches`},
		"an unknown component": {"{name: a, component: runtime, does: b, allowed: c, touches: [d]}", `variant "a": component must be scheduler or driver or kubelet, not "runtime"`},
		"twice":                {good + ", " + good, `duplicate variant "a"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load([]byte("workers: 1\nvariants: [" + test.variants + "]\n"))
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
	_, err := load([]byte("variants: []\n"))
	NewWithT(t).Expect(err).To(MatchError("workers must be positive, not 0"))
}

func TestCommandLine(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	g.Expect(right(t.Context(), []string{"--dry-run", "--variant", "^(packs|spreads)-pods$|^answers-slowly$"}, &out)).To(Succeed())
	g.Expect(strings.Split(out.String(), "\n")).To(HaveExactElements(
		HavePrefix("BATCH "), MatchRegexp("^batch-1 +packs-pods +scheduler +prefers nodes"), MatchRegexp("^batch-1 +answers-slowly +driver "),
		MatchRegexp("^batch-2 +spreads-pods +scheduler "), HavePrefix("3 variants in 2 batches, and a run without a variant: about "), "",
	))
	for _, args := range [][]string{{"--variant", "^unheard$"}, {"--variant", "("}, {"all"}} {
		g.Expect(right(t.Context(), args, &out)).To(MatchError(command.ErrUsage))
	}
}
