// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/hack/internal/command"
)

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

// queried returns the names of the variants that the code in a folder asks for.
func queried(t *testing.T, folder string) (names []string) {
	t.Helper()
	query := regexp.MustCompile(`\bvariant\.([A-Z]\w+)`)
	err := filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		content, err := os.ReadFile(path)
		for _, match := range query.FindAllSubmatch(content, -1) {
			names = append(names, dashed(string(match[1])))
		}
		return err
	})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return names
}

// A variant that changes nothing would be no evidence.
func TestVariantsTakeEffectInTheCode(t *testing.T) {
	g := NewWithT(t)
	all, err := load(data)
	g.Expect(err).NotTo(HaveOccurred())
	names := slices.Concat(queried(t, "allocator"), queried(t, "fakedriver"))
	slices.Sort(names)
	var want []string
	for _, v := range all.Variants {
		want = append(want, v.Name)
	}
	g.Expect(slices.Compact(names)).To(ConsistOf(want))
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
