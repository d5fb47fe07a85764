// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package requirements

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"sync"

	"sigs.k8s.io/yaml"
)

//go:embed *.yaml
var files embed.FS

// Documents returns the document of each KEP, sorted by number.
func Documents() []Document { return slices.Clone(documents()) }

// All returns the requirements of all KEPs, in the order of their documents.
func All() []Requirement {
	var all []Requirement
	for _, d := range documents() {
		all = append(all, d.Requirements...)
	}
	return all
}

// Find returns the requirement with an id.
func Find(id string) (Requirement, bool) {
	all := All()
	i := slices.IndexFunc(all, func(r Requirement) bool { return r.ID == id })
	if i < 0 {
		return Requirement{}, false
	}
	return all[i], true
}

// ProvedBy returns the requirements that a spec proves.
func ProvedBy(spec string) []Requirement {
	return slices.DeleteFunc(All(), func(r Requirement) bool { return !slices.Contains(r.Specs, spec) })
}

// documents parses the embedded files. It panics if one is invalid: they are
// part of the binary, and a test parses them.
var documents = sync.OnceValue(func() []Document {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(fmt.Sprintf("list embedded requirements: %v", err))
	}
	var all []Document
	for _, entry := range entries {
		content, err := files.ReadFile(entry.Name())
		if err != nil {
			panic(fmt.Sprintf("read embedded %s: %v", entry.Name(), err))
		}
		d, err := parse(entry.Name(), content)
		if err != nil {
			panic(fmt.Sprintf("embedded %v", err))
		}
		all = append(all, d)
	}
	return all
})

// parse parses one file strictly. The file name is the number of the KEP.
func parse(name string, content []byte) (Document, error) {
	var d Document
	if err := yaml.UnmarshalStrict(content, &d); err != nil {
		return Document{}, fmt.Errorf("%s: decode: %w", name, err)
	}
	if path.Base(name) != d.KEP+".yaml" {
		return Document{}, fmt.Errorf("%s: is for KEP %q, so it should be %s.yaml", name, d.KEP, d.KEP)
	}
	if err := d.check(); err != nil {
		return Document{}, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}
