// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// at returns the object in nested fields, or nil.
func at(o object, fields ...string) object {
	for _, field := range fields {
		o, _ = o[field].(object)
	}
	return o
}

// text returns a string in nested fields, or an empty one.
func text(o object, fields ...string) string {
	last := len(fields) - 1
	s, _ := at(o, fields[:last]...)[fields[last]].(string)
	return s
}

// list returns a list in nested fields, or nil.
func list(o object, fields ...string) []any {
	last := len(fields) - 1
	l, _ := at(o, fields[:last]...)[fields[last]].([]any)
	return l
}

// clone returns a deep copy.
func clone(o object) object {
	content, err := json.Marshal(o)
	if err != nil {
		panic(fmt.Sprintf("in-memory cluster: %v", err)) // It was decoded from JSON.
	}
	var copied object
	if err := json.Unmarshal(content, &copied); err != nil {
		panic(fmt.Sprintf("in-memory cluster: %v", err))
	}
	return copied
}

// merge applies a JSON merge patch.
func merge(o, change object) object {
	if o == nil {
		o = object{}
	}
	for field, value := range change {
		switch nested, ok := value.(object); {
		case value == nil:
			delete(o, field)
		case ok:
			o[field] = merge(at(o, field), nested)
		default:
			o[field] = value
		}
	}
	return o
}

// kindOf returns the resource of the path of a list.
func kindOf(list string) string { return list[strings.LastIndex(list, "/")+1:] }

func parent(path string) string { return path[:strings.LastIndex(path, "/")] }

// isList reports whether a path is that of a list: lists have lower-case plural names.
func isList(path string) bool {
	return slices.Contains([]string{
		"pods", "nodes", "events", "namespaces", "resourceclaims", "resourceclaimtemplates", "deviceclasses", "podschedulingcontexts",
	}, kindOf(path))
}
