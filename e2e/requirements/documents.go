// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package requirements

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"
)

//go:embed *.yaml
var files embed.FS

// Documents returns the document of each KEP, sorted by number. Drafts follow
// the released KEP.
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

// keps returns the KEPs of the embedded files, sorted.
var keps = sync.OnceValue(func() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(fmt.Sprintf("list embedded requirements: %v", err))
	}
	var all []string
	for _, entry := range entries {
		all = append(all, strings.TrimSuffix(entry.Name(), extension))
	}
	slices.Sort(all)
	return all
})

// documents parses the embedded files. It panics if one is invalid: they are
// part of the binary, and a test parses them.
var documents = sync.OnceValue(func() []Document {
	var all []Document
	for _, kep := range keps() {
		content, err := files.ReadFile(kep + extension)
		if err != nil {
			panic(fmt.Sprintf("read embedded requirements of KEP %s: %v", kep, err))
		}
		d, err := parse(kep+extension, content)
		if err != nil {
			panic(fmt.Sprintf("embedded %v", err))
		}
		all = append(all, d)
	}
	if err := checkReferences(all); err != nil {
		panic(fmt.Sprintf("embedded %v", err))
	}
	return all
})

// extension is the end of the names of the embedded files.
const extension = ".yaml"

// parse parses one file strictly. The file name is the KEP.
func parse(name string, content []byte) (Document, error) {
	var d Document
	if err := yaml.UnmarshalStrict(content, &d); err != nil {
		return Document{}, fmt.Errorf("%s: decode: %w", name, err)
	}
	if path.Base(name) != d.KEP+extension {
		return Document{}, fmt.Errorf("%s: is for KEP %q, so it should be %s%s", name, d.KEP, d.KEP, extension)
	}
	if err := d.check(); err != nil {
		return Document{}, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}
