// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed paths.yaml
var pathsYAML []byte

// path is a run of make that is measured. paths.yaml documents the fields.
type path struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	Make  []string `json:"make"`
	Warm  []string `json:"warm"`
}

func readPaths() ([]path, error) {
	var all []path
	if err := yaml.UnmarshalStrict(pathsYAML, &all); err != nil {
		return nil, fmt.Errorf("read paths.yaml: %w", err)
	}
	return all, nil
}

// args returns the arguments of make, with further variables.
func (p path) args(variables ...string) []string { return slices.Concat(p.Make, variables) }

// command returns the command line for the reader of a page.
func (p path) command(variables ...string) string {
	return "make " + strings.Join(p.args(variables...), " ")
}
