// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/hack/internal/command"
)

const root = "../.."

// dashed converts an identifier to the form of fault names: lower case with
// dashes.
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

// kubeletDir is the folder with the faults of kubelets.
const kubeletDir = "fakedriver/kubelet"

// classicDir is the folder with the drivers of classic DRA and their faults.
const classicDir = "fakedriver/classic"

// hooks returns the names of the faults that the code in some folders checks.
// Outside of their own folders, it omits the faults of kubelets and of drivers of
// classic DRA.
func hooks(t *testing.T, folders ...string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			for _, own := range []string{kubeletDir, classicDir} {
				if err == nil && entry.IsDir() && folder != own && strings.HasSuffix(filepath.ToSlash(path), own) {
					return fs.SkipDir
				}
			}
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil || !slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return strings.HasSuffix(s.Path.Value, `/internal/fault"`) }) {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if p, ok := s.X.(*ast.Ident); ok && p.Name == "fault" {
						found[dashed(s.Sel.Name)] = true
					}
				}
				return true
			})
			return nil
		})
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
	}
	delete(found, "early") // Early is not a fault.
	return found
}

// Each fault in the catalogue exists in the code of the component that it
// breaks, and vice versa. load checks that the specs exist.
func TestFaultsExistInTheCode(t *testing.T) {
	g := NewWithT(t)
	all, err := load(data, ownComponents, specs.All(), journeys.All())
	g.Expect(err).NotTo(HaveOccurred())
	of := map[string][]string{}
	for _, f := range all.Faults {
		of[f.Broken] = append(of[f.Broken], f.Name)
	}
	g.Expect(of[scheduler]).To(ConsistOf(slices.Sorted(maps.Keys(hooks(t, "allocator")))))
	g.Expect(of[driver]).To(ConsistOf(slices.Sorted(maps.Keys(hooks(t, "fakedriver")))))
	g.Expect(of[kubelet]).To(ConsistOf(slices.Sorted(maps.Keys(hooks(t, kubeletDir)))))
}

// The specs without a fault must not need more nodes than the cluster has.
func TestClusterSufficesForAllSpecs(t *testing.T) {
	g := NewWithT(t)
	all, err := load(data, ownComponents, specs.All(), journeys.All())
	g.Expect(err).NotTo(HaveOccurred())
	for _, s := range specs.All() {
		g.Expect(s.MinNodes).To(BeNumerically("<=", all.Workers), s.ID)
	}
}

func TestLoadErrors(t *testing.T) {
	known := []suite.Spec{{ID: "one"}}
	const good = "name: a, broken: driver, does: b"
	for name, test := range map[string]struct{ faults, want string }{
		"an unknown field":       {"{" + good + ", specs: [one], reason: c, because: d}", `unknown field "because"`},
		"no name":                {"{broken: driver, does: b, awaits: c}", `fault "": it needs name and does`},
		"an unknown component":   {"{name: a, broken: runtime, does: b, awaits: c}", `fault "a": broken must be scheduler or driver or kubelet or API server, not "runtime"`},
		"an unknown part":        {"{" + good + ", part: allocator, awaits: c}", `fault "a": part must be plugin of a scheduler, or empty`},
		"a part of a driver":     {"{name: a, broken: driver, does: b, part: plugin, awaits: c}", `fault "a": part must be plugin of a scheduler, or empty`},
		"a kubelet of a journey": {"{name: a, broken: kubelet, does: b, journeys: [trip], reason: c}", `fault "a": journeys cannot have clusters with a broken kubelet`},
		"an unknown profile":     {"{" + good + ", awaits: c, touches: [gpus/counters]}", `fault "a": touches must be everything, a profile, or a profile, a slash and a part of it, not "gpus/counters"`},
		"no specs":               {"{" + good + "}", `fault "a": it needs exactly one of specs, journeys and awaits`},
		"specs and awaits":       {"{" + good + ", specs: [one], reason: c, awaits: d}", `fault "a": it needs exactly one of specs, journeys and awaits`},
		"specs and journeys":     {"{" + good + ", specs: [one], journeys: [trip], reason: c}", `fault "a": it needs exactly one of specs, journeys and awaits`},
		"an unknown journey":     {"{" + good + ", journeys: [trip, one], reason: c}", `fault "a": there is no journey "one"`},
		"no reason":              {"{" + good + ", specs: [one]}", `fault "a": it needs reason with specs or journeys`},
		"a reason for nothing":   {"{" + good + ", awaits: d, reason: c}", `fault "a": it needs reason with specs or journeys`},
		"an unknown spec":        {"{" + good + ", specs: [one, two], reason: c}", `fault "a": there is no spec "two"`},
		"an invalid reason":      {"{" + good + ", specs: [one], reason: (}", `fault "a": read its reason: error parsing regexp`},
		"twice":                  {"{" + good + ", awaits: c}, {" + good + ", awaits: c}", `duplicate fault "a"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load([]byte("workers: 1\nfaults: ["+test.faults+"]\n"), ownComponents, known, []suite.Spec{{ID: "trip"}})
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
	_, err := load([]byte("faults: []\n"), ownComponents, known, nil)
	NewWithT(t).Expect(err).To(MatchError("workers must be positive, not 0"))
}

func TestChoose(t *testing.T) {
	all := catalogue{components: ownComponents, Faults: []fault{{Name: "drops", Broken: driver}, {Name: "forgets-a", Broken: scheduler}, {Name: "forgets-b", Broken: driver}}}
	for name, test := range map[string]struct {
		expression string
		want       []string
	}{
		"all, schedulers first":       {"", []string{"forgets-a", "drops", "forgets-b"}},
		"some":                        {"forgets", []string{"forgets-a", "forgets-b"}},
		"the rest of an interruption": {command.Exactly([]string{"drops", "forgets-b"}), []string{"drops", "forgets-b"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			chosen, err := all.choose(test.expression)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(names(chosen)).To(Equal(test.want))
		})
	}
	g := NewWithT(t)
	_, err := all.choose("^forgets$")
	g.Expect(err).To(MatchError(`no fault matches "^forgets$"`))
	_, err = all.choose("(")
	g.Expect(err).To(MatchError(HavePrefix("choose faults: ")))
}
