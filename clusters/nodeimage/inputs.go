// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"

	"golang.org/x/mod/module"
	"sigs.k8s.io/yaml"
)

//go:embed inputs.yaml
var inputsYAML []byte

// inputs is the content of inputs.yaml.
type inputs struct {
	Debian       debian            `json:"debian"`
	Modules      map[string]string `json:"modules"`
	SandboxImage string            `json:"sandboxImage"`
}

type debian struct {
	Suite    string   `json:"suite"`
	Mirror   string   `json:"mirror"`
	Packages []string `json:"packages"`
	Exclude  []string `json:"exclude"`
	Include  []string `json:"include"`
}

func readInputs() (inputs, error) {
	var in inputs
	if err := yaml.UnmarshalStrict(inputsYAML, &in); err != nil {
		return in, fmt.Errorf("read inputs.yaml: %w", err)
	}
	return in, nil
}

// module returns the pinned version of a module.
func (in inputs) module(path string) module.Version {
	return module.Version{Path: path, Version: in.Modules[path]}
}

// key returns a hash of the inputs of a build and the architecture. Equal
// inputs have equal keys.
func key(parts ...any) string {
	// JSON distinguishes "ab","c" from "a","bc" and sorts maps.
	encoded, err := json.Marshal(append([]any{runtime.GOARCH}, parts...))
	if err != nil {
		panic(fmt.Sprintf("inputs that JSON cannot hold: %v", err))
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:])[:12]
}
