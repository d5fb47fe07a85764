// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"strings"
	"testing"
	"text/template"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"
)

var rewrite = flag.Bool("rewrite", false, "write the declarations of the faults in the table")

// declarations are the files that declare faults. They follow from the components
// with faults.
var declarations = map[string]*template.Template{
	"declared_on.go":  declaring(Tag, `var`, `on("{{.}}")`),
	"declared_off.go": declaring("!"+Tag, `const`, `false`),
}

func declaring(constraint, keyword, value string) *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{"identifier": identifier}).Parse(
		`// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Code generated from hack/mutants/faults.yaml. DO NOT EDIT.

//go:build ` + constraint + `

package fault
{{range .}}
// Faults of a {{.Name}}.
` + keyword + ` (
{{range .Faults}}	{{identifier .}} = ` + value + `
{{end}})
{{end}}`))
}

// identifier returns the identifier of a fault.
func identifier(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// component is a component of which faults are declared.
type component struct {
	Name   string
	Faults []string
}

// components returns the faults in the table of "make mutants", in its order. Those of
// API servers are policies, which need no declaration.
func components(t *testing.T) []component {
	t.Helper()
	g := NewWithT(t)
	content, err := os.ReadFile("../../hack/mutants/faults.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	var table struct {
		Faults []struct{ Name, Broken string }
	}
	g.Expect(yaml.Unmarshal(content, &table)).To(Succeed())
	all := []component{{Name: "scheduler"}, {Name: "driver"}, {Name: "kubelet"}}
	for i := range all {
		for _, f := range table.Faults {
			if f.Broken == all[i].Name {
				all[i].Faults = append(all[i].Faults, f.Name)
			}
		}
		g.Expect(all[i].Faults).NotTo(BeEmpty(), all[i].Name)
	}
	return all
}

// To declare a new fault, add it to the table and run: go test ./internal/fault -run Declared -rewrite
func TestFaultsAreDeclaredAsTheTableHasThem(t *testing.T) {
	g := NewWithT(t)
	faults := components(t)
	for file, declaration := range declarations {
		var text bytes.Buffer
		g.Expect(declaration.Execute(&text, faults)).To(Succeed())
		want, err := format.Source(text.Bytes())
		g.Expect(err).NotTo(HaveOccurred())
		if *rewrite {
			g.Expect(os.WriteFile(file, want, 0o600)).To(Succeed())
		}
		got, err := os.ReadFile(file)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(got)).To(Equal(string(want)), "%s should follow from the table: go test ./internal/fault -run Declared -rewrite", file)
	}
}
