// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"
)

// YAML returns the value, a problem or a struct that embeds one, as YAML
// without empty fields.
func YAML(value any) ([]byte, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode problem: %w", err)
	}
	var tree map[string]any
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, fmt.Errorf("read encoded problem: %w", err)
	}
	for _, list := range []string{"nodes", "classes", "slices", "allocated", "claims"} {
		objects, _ := tree[list].([]any)
		for _, object := range objects {
			dropEmptyParts(object.(map[string]any))
		}
	}
	return yaml.Marshal(tree)
}

// dropEmptyParts removes the empty parts of an object that its Go type always
// encodes. It does not change other fields, where empty and absent may differ.
func dropEmptyParts(object map[string]any) {
	for _, name := range []string{"status", "spec", "metadata"} {
		part, ok := object[name].(map[string]any)
		if !ok {
			continue
		}
		for field, value := range part {
			if isBlank(value) && (name != "spec" || field == "devices") {
				delete(part, field)
			}
		}
		if len(part) == 0 {
			delete(object, name)
		}
	}
}

// isBlank reports whether a value consists only of empty strings, zero numbers
// and nulls.
func isBlank(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case float64:
		return v == 0
	case map[string]any:
		for _, field := range v {
			if !isBlank(field) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// GoString returns the problem as YAML, for readable test output.
func (p *Problem) GoString() string {
	text, err := YAML(p)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
