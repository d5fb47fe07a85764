// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/draconform/draconform/e2e/docs"
	"github.com/draconform/draconform/e2e/subject"
)

func TestSchemaIsUpToDate(t *testing.T) {
	g := NewWithT(t)
	want, err := docs.Schema(folder)
	g.Expect(err).NotTo(HaveOccurred())
	content, err := os.ReadFile(filepath.Join(folder, "schema", "driver.v1alpha1.json"))
	g.Expect(err).NotTo(HaveOccurred())
	if string(content) != want {
		t.Error("docs/schema/driver.v1alpha1.json is not what the types of driver files say: run \"make docs\"")
	}
}

// validate validates a driver file with the published schema.
func validate(t *testing.T, file string) error {
	t.Helper()
	g := NewWithT(t)
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(folder, "schema", "driver.v1alpha1.json"))
	g.Expect(err).NotTo(HaveOccurred())
	// In YAML 1.2, which editors use, yes and no are texts.
	var value any
	g.Expect(yaml.Unmarshal([]byte(file), &value)).To(Succeed())
	return schema.Validate(value)
}

func TestFakeFilesSatisfyTheSchema(t *testing.T) {
	for _, name := range subject.FakeFiles() {
		content, err := subject.FakeFile(name)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		NewWithT(t).Expect(validate(t, string(content))).To(Succeed(), name)
	}
}

func TestSchemaRejects(t *testing.T) {
	const header = "apiVersion: draconform.dev/v1alpha1\nkind: Driver\nname: gpu.example.com\n"
	NewWithT(t).Expect(validate(t, header+"timeouts: {podStart: 1m30s}\ncapabilities: {cdi: no}")).To(Succeed())
	for name, file := range map[string]string{
		"a missing name":          "apiVersion: draconform.dev/v1alpha1\nkind: Driver",
		"another version":         "apiVersion: draconform.dev/v2\nkind: Driver\nname: a",
		"a misspelt field":        header + "role: {}",
		"a misspelt nested field": header + "roles: {exclusive: {device: {klass: gpu}}}",
		"an embedded field":       header + "containers: [{environment: {}}]",
		"an unknown answer":       header + "capabilities: {cdi: perhaps}",
		"an unknown feature":      header + "roles: {exclusive: {device: {class: gpu}, features: [gpus]}}",
		"a number for a time":     header + "timeouts: {podStart: 60}",
		"a text for a list":       header + "containers: metadata",
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(validate(t, file)).NotTo(Succeed())
		})
	}
}
