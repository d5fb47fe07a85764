// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package strictyaml decodes YAML documents into Go structs by the JSON names
// of their fields. Unknown, duplicate and missing fields, empty values and
// values of another type are errors, and every error has the line of the file.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is one document of a YAML file.
type Document struct {
	file string
	root *yaml.Node
	// lines has the lines of the decoded fields by their paths.
	lines map[string]int
}

// Parse parses a file, which may contain several documents. Empty documents are
// left out. All errors begin with the name of the file, unless it is empty.
func Parse(file string, content []byte) ([]*Document, error) {
	var all []*Document
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var node yaml.Node
		switch err := decoder.Decode(&node); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil && file != "":
			return nil, fmt.Errorf("%s: %w", file, err)
		case err != nil:
			return nil, err
		}
		if len(node.Content) > 0 && node.Content[0].Tag != nullTag {
			root := node.Content[0]
			all = append(all, &Document{file: file, root: root, lines: map[string]int{"": root.Line}})
		}
	}
}

// Field returns a scalar at the top of the document, or an empty string if
// there is none. It can be called before Decode, to find out the type of the
// document.
func (d *Document) Field(name string) string {
	if d.root.Kind != yaml.MappingNode {
		return ""
	}
	for i := 0; i < len(d.root.Content); i += 2 {
		if key := d.root.Content[i]; key.Value == name {
			d.lines[name] = key.Line
			return d.root.Content[i+1].Value
		}
	}
	return ""
}

// Errorf returns an error about the field with a path, such as roles.shared or
// roles.partitions.mix[1]. An empty path is the whole document.
func (d *Document) Errorf(path, format string, args ...any) error {
	return d.errorAt(d.line(path), path, format, args...)
}

// Position returns the file and the line of a field, or of the closest field
// around it if the document does not have the field. It is empty for documents
// without a file.
func (d *Document) Position(path string) string {
	if d.file == "" {
		return ""
	}
	return fmt.Sprintf("%s, line %d", d.file, d.line(path))
}

// line returns the line of a field, or of the closest field around it.
func (d *Document) line(path string) int {
	for {
		if line, ok := d.lines[path]; ok || path == "" {
			return line
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
}

// errorAt returns an error about a field with a line.
func (d *Document) errorAt(line int, path, format string, args ...any) error {
	prefix := fmt.Sprintf("line %d: ", line)
	if d.file != "" {
		prefix = d.file + ", " + prefix
	}
	if path != "" {
		prefix += path + ": "
	}
	return fmt.Errorf("%s%w", prefix, fmt.Errorf(format, args...))
}
