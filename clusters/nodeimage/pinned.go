// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// Component is something that node images are built from.
type Component struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Pinned returns what node images are built from in addition to Kubernetes,
// in the order of their names: Debian, the image of pod sandboxes, and Go
// modules without their major versions.
func Pinned() ([]Component, error) {
	in, err := readInputs()
	if err != nil {
		return nil, err
	}
	sandbox, tag, _ := strings.Cut(path.Base(in.SandboxImage), ":")
	all := []Component{{"Debian", in.Debian.Suite}, {sandbox, tag}}
	for _, module := range slices.Sorted(maps.Keys(in.Modules)) {
		name := path.Base(module)
		if strings.TrimLeft(name, "v0123456789") == "" {
			name = path.Base(path.Dir(module))
		}
		all = append(all, Component{name, in.Modules[module]})
	}
	slices.SortFunc(all, func(a, b Component) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return all, nil
}
