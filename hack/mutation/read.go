// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"
)

// catalogue is the content of mutation.yaml, which documents the fields.
type catalogue struct {
	Packages  []string   `json:"packages"`
	Survivors []survivor `json:"survivors"`
}

type survivor struct {
	File    string `json:"file"`
	Code    string `json:"code"`
	Type    string `json:"type"`
	Because string `json:"because"`
}

func load(data []byte) (catalogue, error) {
	var c catalogue
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		return c, fmt.Errorf("read the packages: %w", err)
	}
	if len(c.Packages) == 0 {
		return c, errors.New("read the packages: there are none")
	}
	for _, s := range c.Survivors {
		if s.File == "" || s.Code == "" || s.Type == "" || s.Because == "" {
			return c, fmt.Errorf("survivor %v needs file, code, type and because", s)
		}
	}
	return c, nil
}

// of returns the entry of a change, if it was read.
func (c catalogue) of(found change) (survivor, bool) {
	i := slices.IndexFunc(c.Survivors, func(s survivor) bool {
		return s.File == found.File && s.Code == found.Code && s.Type == found.Type
	})
	if i < 0 {
		return survivor{}, false
	}
	return c.Survivors[i], true
}

// unread returns the changes that no test found and that the catalogue does not have.
func (c catalogue) unread(r result) []change {
	return slices.DeleteFunc(r.with(lived), func(found change) bool {
		_, read := c.of(found)
		return read
	})
}
