// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package declared compares the declarations of a package's switches with the table that
// they follow from, and writes them. Only tests use it.
package declared

import (
	"bytes"
	_ "embed"
	"flag"
	"go/format"
	"os"
	"strings"
	"testing"
	"text/template"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"
)

var rewrite = flag.Bool("rewrite", false, "write the declarations of switches")

// Package is a package that declares switches, in the current folder.
type Package struct {
	// Name is the name of the package.
	Name string
	// Tag is the build tag of programs that have the switches.
	Tag string
	// Table is the path of the table from the root of the repository.
	Table string
}

// Switch is a switch in a component.
type Switch struct{ Name, Component string }

// components are the components with code of ours, in the order of the declarations.
// Nothing is declared for others.
var components = []string{"scheduler", "driver", "kubelet"}

//go:embed declared.go.tmpl
var text string

var files = template.Must(template.New("").Funcs(template.FuncMap{"identifier": identifier}).Parse(text))

// ReadTable reads the table of a package that is two folders below the root.
func ReadTable(t *testing.T, p Package, into any) {
	t.Helper()
	g := NewWithT(t)
	content, err := os.ReadFile("../../" + p.Table)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(yaml.Unmarshal(content, into)).To(Succeed())
}

// Check checks that a package declares exactly these switches: declared_on.go as
// variables, for programs with the build tag, and declared_off.go as constants with the
// value false. With the flag -rewrite, it writes the files.
func Check(t *testing.T, p Package, all []Switch) {
	t.Helper()
	g := NewWithT(t)
	for file, on := range map[string]bool{"declared_on.go": true, "declared_off.go": false} {
		want, err := render(p, all, on)
		g.Expect(err).NotTo(HaveOccurred())
		if *rewrite {
			g.Expect(os.WriteFile(file, want, 0o600)).To(Succeed())
		}
		got, err := os.ReadFile(file)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(got)).To(Equal(string(want)), "%s does not follow from %s: go test ./internal/%s -run Declared -rewrite", file, p.Table, p.Name)
	}
}

// render returns the content of a file. If on is set, it is for programs with the build
// tag.
func render(p Package, all []Switch, on bool) ([]byte, error) {
	of := map[string][]string{}
	for _, s := range all {
		of[s.Component] = append(of[s.Component], s.Name)
	}
	var out bytes.Buffer
	err := files.Execute(&out, struct {
		Package
		On         bool
		Components []string
		Of         map[string][]string
	}{p, on, components, of})
	if err != nil {
		return nil, err
	}
	return format.Source(out.Bytes())
}

// identifier returns the identifier of a switch.
func identifier(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
