// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"embed"
	"fmt"

	"sigs.k8s.io/yaml"
)

// data contains files with pools and slices, and the placements on an A100.
//
//go:embed data/*.yaml
var data embed.FS

// load reads an embedded file. It panics on errors, which tests detect.
func load(name string, into any) {
	content, err := data.ReadFile("data/" + name + ".yaml")
	if err == nil {
		err = yaml.UnmarshalStrict(content, into)
	}
	if err != nil {
		panic(fmt.Sprintf("read file %s of the folder data: %v", name, err))
	}
}
