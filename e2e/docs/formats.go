// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	workload "github.com/draconform/draconform/e2e/workload/report"
)

// schemaURL is the folder in which the schemas are published.
const schemaURL = "https://raw.githubusercontent.com/draconform/draconform/main/docs/schema/"

// Format is a format of files that users write or read, or of what a command prints.
type Format struct {
	// File is the path of its schema in docs/schema.
	File  string
	Title string
	// Command is the command that prints the format. It is empty for files.
	Command string
	// dir is the folder of its types, and root the name of its type there.
	dir, root string
	// apiVersion and kind are its header. They are empty if it has none.
	apiVersion, kind string
	// nullable states that lists and maps without content may be null.
	nullable bool
	// byName states that a file maps names to values of the type root, and list that
	// an output is a list of them.
	byName, list bool
	// open states that there may be more fields.
	open bool
}

// Closed returns the format without other fields than those of the types.
func (f Format) Closed() Format {
	f.open = false
	return f
}

// Formats returns the formats of files that have a schema.
func Formats() []Format {
	return []Format{
		{File: "driver.v1alpha1.json", Title: "A driver file of draconform", dir: "e2e/subject/driverfile", root: driverfile.Kind, apiVersion: driverfile.APIVersion, kind: driverfile.Kind},
		{File: "report.v1alpha1.json", Title: "The report of a run of draconform", dir: "e2e/report", root: report.Kind, apiVersion: report.APIVersion, kind: report.Kind, nullable: true},
		{File: "devices.v1alpha2.json", Title: "What a container of draconform's workload sees", dir: "e2e/workload/report", root: "Report", apiVersion: workload.APIVersion, kind: workload.Kind},
		{File: "sharing-affinity.json", Title: "The annotation draconform.dev/sharing-affinity of a ResourceSlice", dir: "internal/rules", root: "AffinityDeclaration", byName: true},
		{File: "scheduler-args.json", Title: "The arguments of draconform's scheduler plugin", dir: "allocator/scheduler", root: "Args"},
	}
}

// Schema returns the JSON schema of a format. It is derived from the types of a
// package and their comments. dir is the directory docs of a checkout.
func Schema(dir string, of Format) (string, error) {
	pkg := path.Base(of.dir)
	s := schemas{format: of, sources: &packages{checkout: filepath.Dir(filepath.Clean(dir)), root: of.dir}, root: pkg, definitions: object{}}
	schema, err := s.refer(pkg, of.root)
	if err != nil {
		return "", fmt.Errorf("derive the schema %s: %w", of.File, err)
	}
	switch {
	case of.byName:
		schema = object{"type": "object", "additionalProperties": schema}
	case of.list:
		schema = object{"type": "array", "items": schema}
	}
	schema["$schema"], schema["$id"], schema["title"] = "https://json-schema.org/draft/2020-12/schema", schemaURL+of.File, of.Title
	schema["$defs"] = s.definitions
	if of.kind != "" {
		fields := s.definitions[of.root].(object)["properties"].(object)
		fields["apiVersion"].(object)["const"], fields["kind"].(object)["const"] = of.apiVersion, of.kind
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(schema); err != nil {
		return "", fmt.Errorf("encode the schema %s: %w", of.File, err)
	}
	return text.String(), nil
}

// WriteSchemas writes the JSON schemas of all formats and outputs into the directory
// docs of a checkout and returns their paths.
func WriteSchemas(dir string) ([]string, error) {
	var paths []string
	folder := filepath.Join(dir, "schema")
	if err := os.MkdirAll(filepath.Join(folder, outputFolder), 0o755); err != nil {
		return nil, fmt.Errorf("write schemas: %w", err)
	}
	for _, of := range slices.Concat(Formats(), Outputs()) {
		schema, err := Schema(dir, of)
		if err != nil {
			return paths, err
		}
		file := filepath.Join(folder, filepath.FromSlash(of.File))
		if err := os.WriteFile(file, []byte(schema), 0o644); err != nil {
			return paths, fmt.Errorf("write a schema: %w", err)
		}
		paths = append(paths, file)
	}
	return paths, nil
}
