// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// Placeholders in the values of changes.
const (
	// fill is replaced by as many letters x as make a value as long as Bytes says.
	fill = "FILL"
	// number is replaced by the number of an item, from 0.
	number = "NUMBER"
)

// change is a change of a part of an object that the API server must store
// completely, unless Rejected is set.
type change struct {
	// Name describes the changed object.
	Name string
	// Set has the new values of fields by their paths in the part, such as
	// /devices/requests/0/name. A field whose value is null is removed. The number
	// after the last item of a list appends to it.
	Set map[string]any
	// Bytes, if set, is the length of a text with FILL, or that of the JSON of an
	// object with FILL.
	Bytes int
	// Items, if set, is how many items a list or an object has of which only one is
	// written. NUMBER in it is replaced by its number.
	Items int
	// Rejected is the field in the validation error, or one of its parents.
	Rejected string
}

// apply returns a copy of a part of an object with the change.
func (c change) apply(part map[string]any) (map[string]any, error) {
	changed, err := copyOf(part)
	if err != nil {
		return nil, err
	}
	for path, value := range c.Set {
		if c.Items > 0 {
			value, err = repeat(value, c.Items)
		}
		if err == nil && c.Bytes > 0 {
			value, err = Lengthen(value, c.Bytes)
		}
		if err == nil {
			_, err = set(changed, strings.Split(path, "/")[1:], value)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return changed, nil
}

// set sets the value at a path in a part of an object, or removes it if the value is
// nil. It returns the changed part.
func set(part any, path []string, value any) (any, error) {
	if len(path) == 0 {
		return value, nil
	}
	switch part := part.(type) {
	case map[string]any:
		changed, err := set(part[path[0]], path[1:], value)
		if part[path[0]] = changed; changed == nil {
			delete(part, path[0])
		}
		return part, err
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i > len(part) {
			return nil, fmt.Errorf("a list of %d items has no item %q", len(part), path[0])
		}
		if i == len(part) {
			part = append(part, nil)
		}
		part[i], err = set(part[i], path[1:], value)
		return part, err
	}
	return nil, fmt.Errorf("%v has no field %q", part, path[0])
}

// repeat returns a list or an object with a number of items like its only one.
func repeat(value any, items int) (any, error) {
	content, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var list []any
	object := map[string]any{}
	for i := range items {
		var one any
		if err := json.Unmarshal([]byte(strings.ReplaceAll(string(content), number, strconv.Itoa(i))), &one); err != nil {
			return nil, err
		}
		switch one := one.(type) {
		case []any:
			list = append(list, one...)
		case map[string]any:
			maps.Copy(object, one)
		}
	}
	if list != nil {
		return list, nil
	}
	return object, nil
}

// Lengthen returns a text with FILL, or an object with FILL as JSON, with a length in bytes. It
// returns an error if there is no FILL, or the value is longer without it.
func Lengthen(value any, bytes int) (any, error) {
	content, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	text, _ := value.(string)
	length := len(content)
	if text != "" {
		length = len(text)
	}
	missing := bytes - (length - len(fill))
	if missing < 0 || !strings.Contains(string(content), fill) {
		return nil, fmt.Errorf("%s cannot be made %d bytes long", content, bytes)
	}
	var longer any
	err = json.Unmarshal([]byte(strings.Replace(string(content), fill, strings.Repeat("x", missing), 1)), &longer)
	return longer, err
}

// copyOf returns a copy of a part of an object.
func copyOf(part map[string]any) (copied map[string]any, err error) {
	content, err := json.Marshal(part)
	if err == nil {
		err = json.Unmarshal(content, &copied)
	}
	return copied, err
}
